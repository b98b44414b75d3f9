// Hostile input through the library, one address at a time: how long the slowest verdict takes.

import { createDetector, parseMailbox } from "../../dist/lib/index.js";
import { median } from "./measure.mjs";

const MEGABYTE = 1_000_000;
const GOOD = "jane.doe@example-shop.com";

const TEXTS = {
  "1 MB of a": "a".repeat(MEGABYTE),
  "1 MB local part": `${"a".repeat(MEGABYTE)}@gmail.com`,
  "1 MB domain": `jane@${"a".repeat(MEGABYTE)}.com`,
  "1 MB of @": "@".repeat(MEGABYTE),
  "1 MB of white space": " ".repeat(MEGABYTE),
  "1 MB tag": `jane+${"t".repeat(MEGABYTE)}@gmail.com`,
  "1 MB of NUL": "\0".repeat(MEGABYTE),
  "NUL in both parts": "ja\0ne@exa\0mple.com",
  "lone surrogates": `${"\ud800".repeat(100_000)}@${"\udfff".repeat(100_000)}.com`,
  "ten thousand dots": `${".".repeat(10_000)}@${".".repeat(10_000)}`,
  "ten thousand labels": `jane@${"a.".repeat(10_000)}com`,
  "ten thousand A-labels": `jane@${"xn--a.".repeat(10_000)}com`,
  "one long A-label": `jane@xn--${"a".repeat(200_000)}.com`,
  "nested quotes": `${'"\\"'.repeat(10_000)}"@example-shop.com`,
  "opening quotes": '"'.repeat(100_000),
  "nested comments": `${"(".repeat(100_000)}jane${")".repeat(100_000)}@example-shop.com`,
  "open address literal": `jane@[${"IPv6:".repeat(50_000)}`,
  "200 kB of combining marks": `a${"\u0301".repeat(100_000)}@gmail.com`,
  "200 kB of unordered marks": `a${"\u0301\u0316".repeat(50_000)}@example-shop.com`,
  "200 kB of marks in the domain": `jane@a${"\u0301\u0316".repeat(50_000)}.com`,
  "200 kB of full-width letters": `${"\uff41".repeat(66_000)}@gmail.com`,
  "200 kB of emoji": `${"\u{1f600}".repeat(50_000)}@gmail.com`,
  "100 kB of right-to-left": `jane@${"\u05d0".repeat(50_000)}.com`,
};

const BYTES = {
  "1 MB of broken UTF-8": new Uint8Array(MEGABYTE).fill(0xff),
  "cut sequences": Buffer.concat([Buffer.alloc(300_000, Uint8Array.of(0xe2, 0x82)), Buffer.from("@gmail.com")]),
  "overlong forms": Buffer.concat([Buffer.from("jane@"), Buffer.alloc(300_000, Uint8Array.of(0xc0, 0xae))]),
};

/** The milliseconds of each input, slowest first. */
export async function measureHostile() {
  const found = [];
  const detector = createDetector();
  await detector.detect(GOOD, { explain: true });
  for (const [name, text] of Object.entries(TEXTS)) {
    found.push([name, await time(() => detector.detect(text))]);
    found.push([`${name}, explain`, await time(() => detector.detect(text, { explain: true }))]);
  }
  for (const [name, bytes] of Object.entries(BYTES)) found.push([name, await time(() => parseMailbox(bytes))]);
  return found.sort(([, a], [, b]) => b - a);
}

/** The median of three, for the collector may strike in one. */
async function time(work) {
  const times = [];
  for (let i = 0; i < 3; i += 1) {
    const begin = performance.now();
    const verdict = await work();
    times.push(performance.now() - begin);
    if (verdict === undefined) throw new Error("no verdict");
  }
  return median(times);
}
