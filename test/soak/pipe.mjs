// Writes blocks of random sizes around 64 KiB, which a pipe splits, to one process: the last row of each block must be
// answered while nothing more is written, and every row must be answered. A single row is answered within 1 ms at the
// median.
//   npm run soak:pipe [-- --blocks N] [-- --seed N]

import { spawn } from "node:child_process";
import { once } from "node:events";
import { parseArgs } from "node:util";
import { createRandom } from "../bench/generate.mjs";
import { median } from "../bench/measure.mjs";
import { COMMAND } from "../helpers/programs.mjs";

const { values } = parseArgs({
  options: { blocks: { type: "string", default: "100000" }, seed: { type: "string", default: "1" } },
});
const BLOCKS = Number(values.blocks);
const random = createRandom(Number(values.seed));
const ANSWER_MS = 30_000;
const PIPE_BYTES = 65_536;
const SINGLE_ROWS = 20_000;
const SINGLE_ROW_MS = 1;

/** Name, options, header, function that formats a row, share of the blocks. */
const FORMS = [
  ["lines", [], "", (address) => `${address}\n`, 0.6],
  ["CSV", ["--csv"], "note,email\n", (address) => `"two\n""lines""",${address}\n`, 0.3],
  ["--part", ["--part", "--format", "plain"], "", (address) => `${address}\n`, 0.1],
];

/** Returns a size near 64 KiB or 128 KiB, or sometimes any smaller size. */
function randomBlockBytes() {
  if (random() < 0.1) return 100 + ((random() * PIPE_BYTES) | 0);
  return PIPE_BYTES * (random() < 0.9 ? 1 : 2) + ((random() * 200) | 0) - 100;
}

/** Creates rows of about `bytes` bytes. The last row has an address that no other row has. */
function makeBlock(row, id, bytes) {
  const filler = row(`f${"x".repeat((random() * 40) | 0)}@example.org`);
  const last = row(`last${id}@gmail.com`);
  const count = Math.max(0, Math.floor((bytes - last.length) / filler.length));
  return { text: filler.repeat(count) + last, rows: count + 1 };
}

function countLines(text) {
  return text.split("\n").length - 1;
}

function fail(message) {
  console.error(`pipe: FAILED: ${message}`);
  process.exit(1);
}

/** Sends the blocks, and returns the median time of a block in milliseconds. */
async function soak(name, options, header, row, blocks, sizeOf = randomBlockBytes) {
  const child = spawn(process.execPath, [COMMAND, "detect", "--quiet", ...options], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  let tail = "";
  let wake = () => {};
  let lines = 0;
  child.stdout.on("data", (chunk) => {
    const text = chunk.toString("latin1");
    lines += countLines(text);
    tail = (tail + text).slice(-1000);
    wake();
  });
  child.on("exit", (code) => code !== 0 && fail(`${name} ended with ${code}`));
  child.stdin.write(header);
  const times = [];
  let bytes = 0;
  let rows = 0;
  for (let id = 0; id < blocks; id += 1) {
    const block = makeBlock(row, id, sizeOf());
    const { text } = block;
    bytes += text.length;
    rows += block.rows;
    const sentMs = performance.now();
    const timer = setTimeout(() => fail(`${name}: block ${id} of ${text.length} bytes was not answered`), ANSWER_MS);
    child.stdin.write(text);
    while (!tail.includes(`last${id}@gmail.com`)) {
      await new Promise((resolve) => {
        wake = resolve;
      });
    }
    clearTimeout(timer);
    times.push(performance.now() - sentMs);
  }
  child.stdin.end();
  await once(child, "close");
  const expected = countLines(header) + rows * countLines(row(""));
  if (lines !== expected) fail(`${name}: ${lines} lines of output for ${rows} rows, not ${expected}`);
  times.sort((a, b) => a - b);
  const [middle, p99, worst] = [median(times), times[Math.floor(0.99 * times.length)], times.at(-1)];
  console.log(
    `${name}: ${blocks} blocks, ${rows} rows, ${(bytes / 1e6).toFixed(0)} MB, all answered; ms a block: median ${middle.toFixed(2)}, 99 % ${p99.toFixed(2)}, worst ${worst.toFixed(1)}`,
  );
  return middle;
}

for (const [name, options, header, row] of FORMS) {
  const medianMs = await soak(`${name}, one row at a time`, options, header, row, SINGLE_ROWS, () => 0);
  if (medianMs > SINGLE_ROW_MS) fail(`${name}: one row takes ${medianMs.toFixed(2)} ms at the median`);
}
for (const [name, options, header, row, share] of FORMS)
  await soak(name, options, header, row, Math.round(share * BLOCKS));
