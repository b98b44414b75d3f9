// `addrsift lists lookup`: what the lists say about a domain.

import { parseMailbox } from "../../../address/mailbox.ts";
import { encodeUtf8 } from "../../../bytes/octets.ts";
import { explainDomain } from "../../../detection/domain-evidence.ts";
import type { Match } from "../../../detection/evidence.ts";
import { createParserContext } from "../../../detection/parser-context.ts";
import { AddrsiftError } from "../../../errors.ts";
import { packagesOf } from "../../open/classifier.ts";
import { listsInUse } from "../../open/lists.ts";
import type { Arguments } from "../../options/arguments.ts";
import type { LISTS_LOOKUP } from "../../options/lists.ts";
import type { Runtime } from "../../runtime.ts";
import { shownText } from "../../terminal/escape.ts";
import { printJson } from "../../terminal/record-table.ts";
import { printLines } from "../../terminal/text-table.ts";

/** Prints the classes of one domain, with entry and sources. */
export function listsLookup({ options, positionals }: Arguments<typeof LISTS_LOOKUP>, runtime: Runtime): number {
  const given = positionals[0] as string;
  const lists = listsInUse(options, runtime, "pieces");
  const surroundings = createParserContext(lists, packagesOf(runtime));
  const name = given.replace(/^.*@/s, "");
  const parsed = parseMailbox(encodeUtf8(`postmaster@${name}`), {}, surroundings);
  if (!parsed.ok)
    throw new AddrsiftError(
      "USAGE",
      `"${shownText(given)}" is not a mail domain (${parsed.fault.code}): give a domain such as example.org`,
    );
  const domain = parsed.value.domain.ascii;
  const matches = explainDomain(domain, lists);
  if (options.json) {
    printJson(runtime, { domain, matches, data_version: lists.meta.dataVersion });
    return 0;
  }
  const lines = matches.length === 0 ? [`${domain}: in no list`] : matches.map((match) => lookupLine(domain, match));
  printLines(runtime, lines);
  return 0;
}

function lookupLine(domain: string, match: Match): string {
  const counted = match.counted === false ? ", not counted" : "";
  const sure = match.confidence === undefined ? "" : `, ${match.confidence}${counted}`;
  const detail = match.detail === undefined ? "" : ` ${match.detail}`;
  return `${domain}: ${match.flag}${detail} by ${match.entry} (${match.kind}${sure}) from ${match.sources.join(", ")}`;
}
