#!/usr/bin/env node
// The command `addrsift`. CommonJS, because an ES module entry would cost a fifth of Node's own start-up time. Compiling its code at
// each start would cost as much again, so what V8 made of it is kept beside it, on the machine that made it, for the next start.
// It must parse under Node 12, so that an old Node gets a message instead of a stack trace.
"use strict";

const root = __dirname.slice(0, -"/bin".length);
const entry = `${root}/dist/addrsift.cjs`;

start();

function start() {
  const [major, minor] = process.versions.node.split(".").map(Number);
  const least = major <= 20 ? "20.19" : "22.2";
  const [leastMajor, leastMinor] = least.split(".").map(Number);
  if (major < leastMajor || (major === leastMajor && minor < leastMinor)) {
    return fail(`Node ${least} or newer is needed, this is ${process.versions.node}`);
  }
  const source = readEntry();
  if (source !== undefined) run(source);
}

function run(source) {
  const { Script } = require("node:vm");
  const kept = findKeptCode(source);
  const script = new Script(source.latin1Slice(), { filename: entry, cachedData: kept.code });
  script.runInThisContext()(exports, require, module);
  module.exports.main(process.argv.slice(2), { root, load: require }).then((compiled) => {
    if (compiled && script.cachedDataRejected !== false) keepCode(script, kept);
  });
}

function readEntry() {
  try {
    return require("node:fs").readFileSync(entry);
  } catch (error) {
    if (error.code === "ENOENT") return fail("not built: run npm ci, or npm run build");
    return fail(`can't read ${entry} (${error.code}): install addrsift again`);
  }
}

/**
 * The code that this very Node made of this very source, if it was kept whole. V8 itself checks neither: under another release, or
 * damaged, it would crash. The file holds who made it, the source, and the code twice; comparing takes a tenth of the time that
 * loading a hash function does.
 */
function findKeptCode(source) {
  const fs = require("node:fs");
  const maker = `${process.version}-${process.platform}-${process.arch}`;
  const { size, mtimeMs } = fs.statSync(process.execPath, { throwIfNoEntry: false }) || {};
  const path = `${root}/dist/addrsift-${maker}.cache`;
  const head = Buffer.concat([Buffer.from(`${maker} ${size} ${mtimeMs} ${entry}\n`), source]);
  try {
    const content = fs.readFileSync(path);
    const middle = (head.length + content.length) / 2;
    const code = content.subarray(head.length, middle);
    const whole = content.subarray(0, head.length).equals(head) && code.equals(content.subarray(middle));
    return { path, head, code: whole ? code : undefined };
  } catch {
    return { path, head, code: undefined };
  }
}

/** Only where the package's folder can be written: who can write there can change the program as well. */
function keepCode(script, { path, head }) {
  const fs = require("node:fs");
  const temporary = `${path}.${process.pid}`;
  try {
    fs.accessSync(`${root}/dist`, fs.constants.W_OK);
  } catch {
    return;
  }
  try {
    const code = script.createCachedData();
    fs.writeFileSync(temporary, Buffer.concat([head, code, code]), { flag: "wx" });
    fs.renameSync(temporary, path);
  } catch {
    fs.rmSync(temporary, { force: true });
  }
}

function fail(message) {
  console.error(`addrsift: ${message}`);
  process.exitCode = 2;
}
