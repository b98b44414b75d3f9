#!/usr/bin/env node
// The command `addrsift`. CommonJS, because an ES module entry alone would cost a fifth of Node's own start-up time. The code
// cache beside the entry was made by the Node that built it; another version refuses it and compiles the entry as usual.
"use strict";
const { readFileSync } = require("node:fs");
const { Script } = require("node:vm");

const root = __dirname.slice(0, -"/bin".length);
const entry = `${root}/dist/addrsift.cjs`;

function cachedCode() {
  try {
    return readFileSync(`${root}/dist/addrsift.cache`);
  } catch {
    return undefined;
  }
}

const script = new Script(readFileSync(entry, "latin1"), { filename: entry, cachedData: cachedCode() });
script.runInThisContext()(exports, require, module);
module.exports.main(process.argv.slice(2), { root, load: require });
