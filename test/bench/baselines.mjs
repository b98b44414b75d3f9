// Programs that only read standard input, as a lower bound for all other figures.
//   node test/bench/baselines.mjs bytes|readline|papaparse|csv-parse < FILE

import { readSync } from "node:fs";
import { createInterface } from "node:readline";

const BASELINES = {
  /** Counts line feeds, as `wc -l` does. */
  bytes: () => {
    const bytes = new Uint8Array(1 << 16);
    let count = 0;
    for (let length = readSync(0, bytes); length > 0; length = readSync(0, bytes)) {
      for (let i = 0; i < length; i += 1) if (bytes[i] === 10) count += 1;
    }
    return count;
  },
  readline: () =>
    countRows((add, done) => {
      createInterface({ input: process.stdin, crlfDelay: Number.POSITIVE_INFINITY })
        .on("line", () => add(1))
        .on("close", done);
    }),
  papaparse: async () => {
    const { default: papa } = await import("papaparse");
    return countRows((add, done) => {
      papa.parse(process.stdin.setEncoding("utf8"), { chunk: ({ data }) => add(data.length), complete: done });
    });
  },
  "csv-parse": async () => {
    const { parse } = await import("csv-parse");
    return countRows((add, done) => {
      process.stdin
        .pipe(parse())
        .on("data", () => add(1))
        .on("end", done);
    });
  },
};

function countRows(start) {
  return new Promise((resolve) => {
    let count = 0;
    const add = (rows) => {
      count += rows;
    };
    start(add, () => resolve(count));
  });
}

console.log(await BASELINES[process.argv[2]]());
