// Opens the compiled table's file. The other files of this folder don't access the file system.

import { closeSync, constants, fstatSync, openSync, readFileSync, readSync } from "node:fs";
import { isAddrsiftError } from "../base/errors.ts";
import { type TableSource, tableError } from "./format.ts";
import { CompiledLists, listsFromBytes } from "./table.ts";

/** Reads parts of the file on demand: a one-off lookup needs a few kilobytes of 4 MB. */
class FileSource implements TableSource {
  readonly name: string;
  readonly length: number;
  bytes: Uint8Array = new Uint8Array(8192);
  private readonly descriptor: number;

  constructor(path: string | URL) {
    this.name = nameOf(path);
    this.descriptor = openFile(path);
    this.length = fstatSync(this.descriptor).size;
  }

  locate(offset: number, length: number): number {
    if (length > this.bytes.length) this.bytes = new Uint8Array(2 * length);
    const count = readSync(this.descriptor, this.bytes, 0, length, offset);
    if (count !== length) throw tableError(this.name, "it is cut off");
    return 0;
  }
}

/** `on-demand` reads single records, for a few lookups; `in-memory` loads and verifies the whole file. */
export type LoadMode = "on-demand" | "in-memory";

/** Opens a file of compiled lists. Throws AddrsiftError DATA if it can't be used. */
export function openLists(path: string | URL, mode: LoadMode): CompiledLists {
  try {
    return mode === "on-demand"
      ? new CompiledLists(new FileSource(path))
      : listsFromBytes(nameOf(path), readFile(path));
  } catch (error) {
    if (isAddrsiftError(error)) throw error;
    throw tableError(nameOf(path), (error as NodeJS.ErrnoException).code ?? String(error), error);
  }
}

function readFile(path: string | URL): Uint8Array {
  const descriptor = openFile(path);
  try {
    return readFileSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** Opens a file with O_NONBLOCK, because opening a FIFO would block until it has a writer. */
function openFile(path: string | URL): number {
  const descriptor = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  const stat = fstatSync(descriptor);
  if (stat.isFile() || stat.isDirectory()) return descriptor;
  closeSync(descriptor);
  // The code that open(2) returns for a socket.
  throw Object.assign(new Error("not a regular file"), { code: "ENXIO" });
}

function nameOf(path: string | URL): string {
  return `the lists in ${String(path)}`;
}
