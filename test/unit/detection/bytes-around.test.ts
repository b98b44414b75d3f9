// Tests that a result does not depend on the bytes around the address, such as other rows or old contents of a buffer.

import fc from "fast-check";
import { expect, it } from "vitest";
import { ByteWriter } from "../../../src/base/bytes/byte-writer.ts";
import { encodeUtf8 } from "../../../src/base/bytes/bytes.ts";
import { Classifier } from "../../../src/detection/classifier.ts";
import { createExplainer } from "../../../src/detection/explain.ts";
import { JsonRenderer } from "../../../src/detection/format.ts";
import { lists } from "../../helpers/classify.ts";
import { run } from "../../helpers/run.ts";
import { sampleSize } from "../../helpers/sampling.ts";

const PERMISSIVE = { allowDomainLiteral: true, allowReserved: true, allowUnknownTld: true };
const setups = [{}, PERMISSIVE].map((syntax) => ({ lists, syntax, cacheEntries: 16 }));
const classifiers = setups.map((setup) => ({ classifier: new Classifier(setup), explain: createExplainer(setup) }));
const renderer = new JsonRenderer();

function render(bytes: Uint8Array, start: number, end: number): string {
  const out = new ByteWriter(64);
  for (const { classifier, explain } of classifiers) {
    classifier.classify(bytes, start, end);
    renderer.write(out, { bytes, start, end }, classifier, explain(bytes, start, end, classifier));
  }
  return Buffer.from(out.buffer.subarray(0, out.length)).toString();
}

const part = fc.constantFrom<string | number[]>(
  ...['"a b"', " ", ...`a info jane+x . @ @@ " \\ - _ + [192.0.2.1] [IPv6:::1] [ ]`.split(" ")],
  ...["gmail.com", "mailinator.com", "x.org", ".com", "com", "xn--", "xn--bcher-kva.de", "localhost", "co.uk"],
  ...["é", "ß", "漢", "＠", "\u0301", "\u200b", "бг.рф", "👍"],
  ...[[0xc3], [0x80], [0xa9], [0xe6, 0xbc], [0xf0, 0x9f], [0xff], [0], [0x0d]],
);
const bytesOf = (parts: readonly (string | number[])[]): Buffer =>
  Buffer.concat(parts.map((text) => (typeof text === "string" ? encodeUtf8(text) : Uint8Array.from(text))));
const address = fc.array(part, { maxLength: 7 }).map(bytesOf);

it("an address's result is independent of the surrounding bytes", () => {
  fc.assert(
    fc.property(address, address, address, (before, bytes, after) => {
      const alone = render(bytes, 0, bytes.length);
      const surrounded = Buffer.concat([before, bytes, after]);
      expect(render(surrounded, before.length, before.length + bytes.length)).toBe(alone);
    }),
    { numRuns: sampleSize(800) },
  );
});

it("a fault's offset at the end of a CSV field does not depend on the row before", async () => {
  const lastRow = '1,"é""b+coß."\n';
  const offsetOf = async (rows: string): Promise<unknown> => {
    const args = ["detect", "--csv", "--no-header", "--column", "2", "--json", "--explain", "--quiet"];
    const { stdout } = await run(args, { stdin: rows });
    return JSON.parse(stdout.toString().trimEnd().split("\n").at(-1) as string).explain.syntax_error.offset;
  };
  expect(await offsetOf(`0,"xéééééé""x"\n${lastRow}`)).toBe(await offsetOf(lastRow));
});
