// The compiled tables in dist/, and the files of data/ that updates and look-ups need beside them.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { createTableInput, mergeSources, readBuildInputs } from "../curation/build-inputs.ts";
import { compileTable, type TableInput } from "../curation/compile.ts";
import { HAND_KEPT, packedDataPath } from "../curation/read-data.ts";
import { REMOVALS_FILE, SOURCE_KEYS, snapshotPath } from "../curation/sources.ts";
import { byteOf, type Confidence, confidenceRank, DEFAULT_CONFIDENCE, leastRank } from "../lists/confidence.ts";
import { packTable } from "../lists/packed.ts";
import { listsFromBytes } from "../lists/table.ts";
import { put } from "./bundle.ts";

export function buildLists(root: string): void {
  const inputs = readBuildInputs(root);
  const input = createTableInput(inputs, mergeSources(inputs).disposable);
  put(join(root, "dist/lists.bin"), compileTable(input));
  // For programs in browsers.
  put(join(root, "dist/lists-counted.bin.gz"), gzip(smallTable(input, DEFAULT_CONFIDENCE)));
  const handKept = Object.values(HAND_KEPT).map(({ file }) => file);
  for (const file of [...handKept, "canaries.txt", REMOVALS_FILE, ...SOURCE_KEYS.map(snapshotPath)])
    put(join(root, packedDataPath(file)), brotliCompressSync(readFileSync(join(root, "data", file))));
}

/** The packed table with only the disposable entries of this confidence or better. Its version names the confidence. */
function smallTable(input: TableInput, least: Confidence): string {
  const counted = [...input.disposable].filter(([, entry]) => confidenceRank(byteOf(entry)) >= leastRank(least));
  const dataVersion = `${input.dataVersion}-${least}`;
  const lists = listsFromBytes("the lists", compileTable({ ...input, disposable: new Map(counted), dataVersion }));
  return packTable(lists.entries(), lists.meta);
}

function gzip(content: string | Uint8Array): Uint8Array {
  return gzipSync(content, { level: 9 });
}
