// data/ as it is in the package: one packed file. Snapshots of disposable domains leave out the names that dist/lists.bin has of their source,
// which are nearly all; the digest in their head shows that they are whole again.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, brotliDecompressSync } from "node:zlib";
import { AttributeReader } from "../lists/attributes.ts";
import { LINEAGE_BIT, type Lineage } from "../lists/confidence.ts";
import { KIND } from "../lists/format.ts";
import type { CompiledLists } from "../lists/table.ts";
import { openLists } from "../lists/table-file.ts";

/** The packed file, from the package's folder. */
export const PACKED_SOURCES = "dist/lists-sources.json.br";
const SNAPSHOT = /^sources\/([A-Z])\.txt$/;
/** Stands for a name that the source does not have, because a later rule brought it in. */
const NOT_IN_SOURCE = "-";

/** Packs files under data/ by their names. `lists` are those that they make. */
export function packSources(files: ReadonlyMap<string, string>, lists: CompiledLists): Uint8Array {
  const names = namesBySource(lists);
  const packed = Array.from(files, ([file, text]) => {
    const listed = names(file);
    const short = listed === undefined ? text : withoutListed(text, listed);
    if (listed !== undefined && withListed(short, listed) !== text) throw new Error(`data/${file} can't be packed`);
    return [file, short];
  });
  return brotliCompressSync(JSON.stringify(Object.fromEntries(packed)));
}

const opened = new Map<string, (file: string) => string | undefined>();

/** A file under data/ of the package in `root`; undefined when it has none of this name. */
export function readPacked(root: string, file: string): string | undefined {
  const read = opened.get(root) ?? openSources(root);
  opened.set(root, read);
  return read(file);
}

function openSources(root: string): (file: string) => string | undefined {
  const text = brotliDecompressSync(readFileSync(join(root, PACKED_SOURCES))).toString();
  const files = JSON.parse(text) as Readonly<Record<string, string>>;
  let names: ReturnType<typeof namesBySource> | undefined;
  return (file) => {
    if (!SNAPSHOT.test(file)) return files[file];
    names ??= namesBySource(openLists(join(root, "dist/lists.bin"), "whole"));
    const listed = names(file);
    return listed === undefined ? files[file] : withListed(files[file] ?? "", listed);
  };
}

/** The sorted names that the lists have of the source of a snapshot; undefined for other files. */
function namesBySource(lists: CompiledLists): (file: string) => readonly string[] | undefined {
  const reader = new AttributeReader();
  const decoder = new TextDecoder();
  const domains = Array.from(lists.entries()).flatMap(({ kind, name, attributes }) => {
    if (kind !== KIND.domain) return [];
    reader.read(attributes, 0);
    return reader.lineages === 0 ? [] : [[decoder.decode(name), reader.lineages] as const];
  });
  domains.sort(([a], [b]) => (a < b ? -1 : 1));
  return (file) => {
    const bit = LINEAGE_BIT[SNAPSHOT.exec(file)?.[1] as Lineage];
    if (bit === undefined) return undefined;
    return domains.flatMap(([name, lineages]) => ((lineages & bit) === 0 ? [] : [name]));
  };
}

/** Lines of a snapshot without their names, where these are the next of `listed`. */
function withoutListed(text: string, listed: readonly string[]): string {
  const all = new Set(listed);
  let at = 0;
  const lines = text
    .split("\n")
    .slice(0, -1)
    .flatMap((line) => {
      const name = line.split("\t", 1)[0] as string;
      if (!all.has(name)) return [line];
      const absent: string[] = [];
      for (; listed[at] !== name && at < listed.length; at += 1) absent.push(NOT_IN_SOURCE);
      at += 1;
      return [...absent, line.slice(name.length)];
    });
  return lines.join("\n");
}

function withListed(short: string, listed: readonly string[]): string {
  let at = 0;
  const lines = short.split("\n").flatMap((line) => {
    if (line !== "" && line !== NOT_IN_SOURCE && !line.startsWith("\t")) return [line];
    const name = listed[at] as string;
    at += 1;
    return line === NOT_IN_SOURCE ? [] : [name + line];
  });
  return `${lines.join("\n")}\n`;
}
