#!/usr/bin/env node
// The command `addrsift`. CommonJS, because an ES module entry would cost a fifth of Node's own start-up time.
// It must parse under Node 12, so that an old Node gets a message instead of a stack trace.
"use strict";

const root = __dirname.slice(0, -"/bin".length);

start();

function start() {
  const [major, minor] = process.versions.node.split(".").map(Number);
  const least = major <= 20 ? "20.19" : "22.2";
  const [leastMajor, leastMinor] = least.split(".").map(Number);
  if (major < leastMajor || (major === leastMajor && minor < leastMinor)) {
    return fail(`Node ${least} or newer is needed, this is ${process.versions.node}`);
  }
  // Node 22 and later keep what V8 compiled, in the package's folder where it can be written: who writes there can change the program too.
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
