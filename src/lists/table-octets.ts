// The compiled table in memory, wherever its octets come from.

import { type TableSource, tableDamage } from "./format.ts";
import { CompiledLists } from "./table.ts";

/** A whole table in memory. */
class TableOctets implements TableSource {
  readonly name: string;
  readonly octets: Uint8Array;

  constructor(name: string, octets: Uint8Array) {
    this.name = name;
    this.octets = octets;
  }

  get length(): number {
    return this.octets.length;
  }

  locate(offset: number, length: number): number {
    if (offset + length > this.length) throw tableDamage(this.name, "it is cut off");
    return offset;
  }
}

/** The lists in these octets, which are checked at once and must not change. Throws AddrsiftError DATA. */
export function listsFromOctets(name: string, octets: Uint8Array): CompiledLists {
  const lists = new CompiledLists(new TableOctets(name, octets));
  lists.verify();
  return lists;
}
