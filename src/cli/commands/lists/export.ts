// `addrsift lists export`: one class of the effective lists.

import { decodeUtf8 } from "../../../bytes/octets.ts";
import { AddrsiftError } from "../../../errors.ts";
import { AttributeReader } from "../../../lists/attributes.ts";
import { confidenceRank, leastRank } from "../../../lists/confidence.ts";
import { KIND, type TableEntry } from "../../../lists/format.ts";
import { type CompiledLists, SPECIAL_USE } from "../../../lists/table.ts";
import { listsInUse } from "../../open/lists.ts";
import type { Arguments } from "../../options/arguments.ts";
import type { LISTS_EXPORT } from "../../options/lists.ts";
import type { Runtime } from "../../runtime.ts";

/** Prints the entries of one class, sorted by octets. */
export function listsExport({ options }: Arguments<typeof LISTS_EXPORT>, runtime: Runtime): number {
  const name = options.class;
  if (name === undefined)
    throw new AddrsiftError("USAGE", "the class is missing: add --class disposable, public, relay, role or tld");
  const lists = listsInUse(options, runtime, "whole");
  const pick = exportsOf(leastRank(options["min-confidence"]))[name];
  const attributes = new AttributeReader();
  const lines: string[] = [];
  for (const entry of lists.entries()) {
    if (entry.kind === KIND.domain) attributes.read(entry.attributes, 0);
    const line = pick(entry, attributes, lists);
    if (line !== undefined) lines.push(`${line}\n`);
  }
  lines.sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
  runtime.stdout.write(lines.join(""));
  return 0;
}

type PickLine = (entry: TableEntry, attributes: AttributeReader, lists: CompiledLists) => string | undefined;

const domainIf =
  (
    wanted: (attributes: AttributeReader) => boolean,
    suffix: (attributes: AttributeReader, lists: CompiledLists) => string = () => "",
  ): PickLine =>
  (entry, attributes, lists) =>
    entry.kind === KIND.domain && wanted(attributes) ? decodeUtf8(entry.name) + suffix(attributes, lists) : undefined;

const exportsOf = (
  minimum: number,
): Readonly<Record<"disposable" | "public" | "relay" | "role" | "tld", PickLine>> => ({
  disposable: domainIf(({ lineages }) => lineages !== 0 && confidenceRank(lineages) >= minimum),
  public: domainIf((attributes) => attributes.public >= 0),
  relay: domainIf(
    ({ relay }) => relay >= 0,
    ({ relay }, lists) => `\t${lists.meta.relayProviders[relay]}`,
  ),
  role: (entry) => (entry.kind === KIND.role ? decodeUtf8(entry.name) : undefined),
  tld: (entry) =>
    entry.kind === KIND.topLevel && entry.attributes[0] !== SPECIAL_USE ? decodeUtf8(entry.name) : undefined,
});
