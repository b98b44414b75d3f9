#!/usr/bin/env node
// The command `addrsift`. CommonJS, because an ES module entry would cost a fifth of Node's own start-up time.
// It must parse under Node 12, so that an old Node gets a message instead of a stack trace.
"use strict";

const root = __dirname.slice(0, -"/bin".length);

start();

function start() {
  const { node } = process.versions;
  const [major, minor] = node.split(".").map(Number);
  if (major < 20 || (major === 20 && minor < 19) || major === 21 || (major === 22 && minor < 12)) {
    return fail(`Node must be 20.19+, 22.12+ or 24+, not ${node}`);
  }
  // A Node that can keeps what V8 compiled in the package's folder. Who can write there can change the program too.
  if (major >= 22) require("node:module").enableCompileCache(`${root}/dist/.compiled`);
  const entry = load();
  if (entry !== undefined) entry.main(process.argv.slice(2), { root, load: require });
}

function load() {
  try {
    return require("../dist/addrsift.cjs");
  } catch (error) {
    if (error.code === "MODULE_NOT_FOUND") return fail("not built: run npm ci, or npm run build");
    return fail(`can't read ${root}/dist/addrsift.cjs (${error.code || error.name}): install addrsift again`);
  }
}

function fail(message) {
  console.error(`addrsift: ${message}`);
  process.exitCode = 2;
}
