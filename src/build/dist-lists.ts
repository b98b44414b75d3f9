// Builds the compiled tables in dist/, and copies the files of data/ that updates and lookups read.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { createTableInput, mergeSources, readBuildInputs } from "../curation/build-inputs.ts";
import { compileTable, type TableInput } from "../curation/compile.ts";
import { MAINTAINED_LISTS, packedDataPath } from "../curation/read-data.ts";
import { REMOVALS_FILE, SOURCE_KEYS, snapshotPath } from "../curation/sources.ts";
import { COUNTED_SUFFIX, confidenceRank, entryFlags, minimumRank } from "../lists/confidence.ts";
import { packTable } from "../lists/packed.ts";
import { listsFromBytes } from "../lists/table.ts";
import { writeIfChanged } from "./bundle.ts";

// Quality 11, the maximum, would take twice the time (4 s more) for 1.5 % less.
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 10 } };

/** Writes all files of lists to `root`/dist. */
export function buildLists(root: string): void {
  const inputs = readBuildInputs(root);
  const input = createTableInput(inputs, mergeSources(inputs).disposable);
  writeIfChanged(join(root, "dist/lists.bin"), compileTable(input));
  // For programs in browsers.
  writeIfChanged(join(root, "dist/lists-counted.bin.gz"), gzipSync(packCountedTable(input), { level: 9 }));
  const listFiles = Object.values(MAINTAINED_LISTS).map(({ file }) => file);
  for (const file of [...listFiles, "canaries.txt", REMOVALS_FILE, ...SOURCE_KEYS.map(snapshotPath)])
    writeIfChanged(
      join(root, packedDataPath(file)),
      brotliCompressSync(readFileSync(join(root, "data", file)), BROTLI),
    );
}

/** Packs the table without the disposable entries below DEFAULT_CONFIDENCE. */
function packCountedTable(input: TableInput): string {
  const minRank = minimumRank();
  const counted = [...input.disposable].filter(([, entry]) => confidenceRank(entryFlags(entry)) >= minRank);
  const dataVersion = input.dataVersion + COUNTED_SUFFIX;
  const lists = listsFromBytes("the lists", compileTable({ ...input, disposable: new Map(counted), dataVersion }));
  return packTable(lists.entries(), lists.meta);
}
