// Disables the accelerator when preloaded with `node -r`. Node 24 and later have no option to disable WebAssembly.
delete globalThis.WebAssembly;
