#!/usr/bin/env node
// The command `addrsift`. CommonJS, because an ES module entry alone would cost a fifth of Node's own start-up time.
"use strict";
const { dirname } = require("node:path");
const { main } = require("../dist/addrsift.cjs");

main(process.argv.slice(2), { root: dirname(__dirname), load: require });
