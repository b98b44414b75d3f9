// Preloaded by `node -r`: without WebAssembly there is no accelerator. Node 24 and later have no option for that.
delete globalThis.WebAssembly;
