// Opens the file of the compiled table. No other file of this folder reads files.

import { closeSync, constants, fstatSync, openSync, readFileSync, readSync } from "node:fs";
import { isAddrsiftError } from "../base/errors.ts";
import { type TableSource, tableDamage } from "./format.ts";
import { CompiledLists, listsFromBytes } from "./table.ts";

/** Reads only what is asked for: a one-off look-up needs a few kilobytes of megabytes. */
class FilePieces implements TableSource {
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
    if (count !== length) throw tableDamage(this.name, "it is cut off");
    return 0;
  }
}

/** `pieces` is for a few look-ups, `whole` (checked at once) for many. Throws AddrsiftError DATA. */
export function openLists(path: string | URL, use: "pieces" | "whole"): CompiledLists {
  try {
    return use === "pieces" ? new CompiledLists(new FilePieces(path)) : listsFromBytes(nameOf(path), readWhole(path));
  } catch (error) {
    if (isAddrsiftError(error)) throw error;
    throw tableDamage(nameOf(path), (error as NodeJS.ErrnoException).code ?? String(error), error);
  }
}

function readWhole(path: string | URL): Uint8Array {
  const descriptor = openFile(path);
  try {
    return readFileSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** Opens a regular file: opening a FIFO would wait for its other end. */
function openFile(path: string | URL): number {
  const descriptor = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  const stat = fstatSync(descriptor);
  if (stat.isFile() || stat.isDirectory()) return descriptor;
  closeSync(descriptor);
  // The system says the same of a socket.
  throw Object.assign(new Error("not a regular file"), { code: "ENXIO" });
}

function nameOf(path: string | URL): string {
  return `the lists in ${String(path)}`;
}
