// `addrsift lists export | lookup | status`: a look into the data that verdicts rest on.

import { parseMailbox } from "../../../address/mailbox.ts";
import { decodeUtf8, encodeUtf8 } from "../../../bytes/octets.ts";
import type { Match } from "../../../detection/evidence.ts";
import { explainDomain } from "../../../detection/explain.ts";
import { createSurroundings } from "../../../detection/surroundings.ts";
import { AddrsiftError } from "../../../errors.ts";
import { AttributeReader } from "../../../lists/attributes.ts";
import { KIND, type TableEntry } from "../../../lists/format.ts";
import type { CompiledLists } from "../../../lists/table.ts";
import { SPECIAL_USE } from "../../../lists/table.ts";
import { type Host, packagesOf } from "../../open/compose.ts";
import { listsInUse, openListsInUse, warningText } from "../../open/lists.ts";
import type { Arguments } from "../../options/arguments.ts";
import { shownText } from "../../terminal/escape.ts";
import { printJson } from "../../terminal/record-table.ts";
import { writeNow } from "../../terminal/streams.ts";
import { loadWrapTools, screenWidth, wrappedText } from "../../terminal/text-table.ts";

/** `lists export`: the entries of one class, sorted by octets. */
export function listsExport(args: Arguments, host: Host): number {
  const name = args.text("class");
  if (name === undefined)
    throw new AddrsiftError("USAGE", "the class is missing: add --class disposable, public, relay, role or tld");
  const lists = listsInUse(args, host, "whole");
  const pick = EXPORTS[name] as Pick;
  const attributes = new AttributeReader();
  const lines: string[] = [];
  for (const entry of lists.entries()) {
    if (entry.kind === KIND.domain) attributes.read(entry.attributes, 0);
    const line = pick(entry, attributes, lists);
    if (line !== undefined) lines.push(`${line}\n`);
  }
  lines.sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
  writeNow(1, lines.join(""));
  return 0;
}

type Pick = (entry: TableEntry, attributes: AttributeReader, lists: CompiledLists) => string | undefined;

const domainIf =
  (
    wanted: (attributes: AttributeReader) => boolean,
    suffix: (attributes: AttributeReader, lists: CompiledLists) => string = () => "",
  ): Pick =>
  (entry, attributes, lists) =>
    entry.kind === KIND.domain && wanted(attributes) ? decodeUtf8(entry.name) + suffix(attributes, lists) : undefined;

const EXPORTS: Readonly<Record<string, Pick>> = {
  disposable: domainIf(({ lineages }) => lineages !== 0),
  public: domainIf((attributes) => attributes.public >= 0),
  relay: domainIf(
    ({ relay }) => relay >= 0,
    ({ relay }, lists) => `\t${lists.meta.relayProviders[relay]}`,
  ),
  role: (entry) => (entry.kind === KIND.role ? decodeUtf8(entry.name) : undefined),
  tld: (entry) =>
    entry.kind === KIND.topLevel && entry.attributes[0] !== SPECIAL_USE ? decodeUtf8(entry.name) : undefined,
};

/** `lists lookup`: the classes of one domain, with entry and sources. */
export function listsLookup(args: Arguments, host: Host): number {
  const given = args.positionals[0] as string;
  const lists = listsInUse(args, host, "pieces");
  const surroundings = createSurroundings(lists, packagesOf(host));
  const name = given.replace(/^.*@/s, "");
  const parsed = parseMailbox(encodeUtf8(`postmaster@${name}`), {}, surroundings);
  if (!parsed.ok)
    throw new AddrsiftError(
      "USAGE",
      `"${shownText(given)}" is no mail domain (${parsed.fault.code}): give one such as example.org`,
    );
  const domain = parsed.value.domain.ascii;
  const matches = explainDomain(domain, lists);
  if (args.flag("json")) {
    printJson({ domain, matches, data_version: lists.meta.dataVersion });
    return 0;
  }
  const lines = matches.length === 0 ? [`${domain}: in no list`] : matches.map((match) => lookupLine(domain, match));
  printLines(lines, host);
  return 0;
}

function lookupLine(domain: string, match: Match): string {
  const sure = match.confidence === undefined ? "" : `, ${match.confidence}`;
  const detail = match.detail === undefined ? "" : ` ${match.detail}`;
  return `${domain}: ${match.flag}${detail} by ${match.entry} (${match.kind}${sure}) from ${match.sources.join(", ")}`;
}

/** `lists status`: version, age, counts, sources. */
export function listsStatus(args: Arguments, host: Host): number {
  const { lists, origin, warning } = openListsInUse(args, host, "whole");
  const { meta } = lists;
  if (warning !== undefined) writeNow(2, `addrsift: ${shownText(warningText(warning))}\n`);
  const ageDays = Math.max(0, Math.floor((Date.now() - Date.parse(meta.date)) / 86_400_000));
  if (args.flag("json")) {
    const { dataVersion, date, counts, sources } = meta;
    printJson({ data_version: dataVersion, date, age_days: ageDays, origin, counts, sources });
    return 0;
  }
  const lines = [
    `lists ${meta.dataVersion} (${origin === "home" ? "from the home" : origin}), taken ${meta.date}, ${ageDays} days old`,
  ];
  for (const [name, count] of Object.entries(meta.counts))
    lines.push(`  ${name.padEnd(12)}${String(count).padStart(8)}`);
  lines.push("sources");
  for (const { label, licence, count } of meta.sources)
    lines.push(`  ${String(count).padStart(8)}  ${label} (${licence})`);
  printLines(lines, host);
  return 0;
}

/** Prints lines, wrapped where a terminal is too narrow for them. */
function printLines(lines: readonly string[], host: Host): void {
  const width = screenWidth(host, Number.POSITIVE_INFINITY);
  const tools = loadWrapTools(host);
  writeNow(1, lines.map((line) => `${wrappedText(line, width, tools)}\n`).join(""));
}
