// `addrsift detect` on addresses given as arguments. The command's first file has this, so it imports little.

import { statSync } from "node:fs";
import { encodeUtf8 } from "../../../base/bytes/bytes.ts";
import { isAddrsiftError, usage } from "../../../base/errors.ts";
import type { Inquiries } from "../../../bulk/live/inquiries.ts";
import type { Pipeline } from "../../../bulk/pipeline.ts";
import { isOutputClosed } from "../../../bulk/ports.ts";
import { Row } from "../../../bulk/rows/row.ts";
import { openRun } from "../../../bulk/run/open-run.ts";
import { Summary } from "../../../bulk/summary.ts";
import type { DnsOptions, DnsResolver } from "../../../dns/resolver.ts";
import { openInquiries } from "../../open/dns.ts";
import { classifierSetup, knownInUse } from "../../open/known.ts";
import type { Runtime } from "../../runtime.ts";
import { warn } from "../../terminal/say.ts";
import type { Extras } from "./extras.ts";
import { FailingRows } from "./odd-rows.ts";
import type { DetectSettings } from "./settings.ts";

// For more addresses than this, reading the whole lists is faster.
const ADDRESSES_IN_PIECES = 50;

/**
 * Classifies the addresses given as arguments, and compares them in `duplicates`; gives the exit status. Asks and
 * writes nothing twice.
 */
export async function detectAddresses(
  { addresses, rows, dns, global }: DetectSettings,
  runtime: Runtime,
  { output, end, duplicates }: Extras,
): Promise<number> {
  refuseFiles(addresses, rows.policy.subject === "domain");
  // Few rows are written at once, which is the shortest way for a one-off.
  const sink = { write: async (bytes: Uint8Array): Promise<void> => runtime.stdout.write(bytes) };
  const summary = new Summary(end?.withNames ?? false);
  const { setup, pipeline, questions } = withSoundLists(addresses.length, (use) => {
    const setup = classifierSetup(rows.policy, knownInUse(global, runtime, use), 0);
    const pipeline = openRun({ setup, rows, output, opened: { layout: { kind: "lines" } }, summary, sink, duplicates });
    return { setup, pipeline, questions: addresses.map((address) => pipeline.question(encodeUtf8(address))) };
  });
  const inquiries = dns.mode === "off" ? undefined : openInquiries(dns, runtime, setup, oneOffResolver);
  // Loading `performance` takes a millisecond, so only a run that tells its time asks for it.
  const started = end === undefined ? 0 : performance.now();
  try {
    await takeAddresses(addresses, questions, pipeline, inquiries);
  } catch (error) {
    // The reader of the output has closed it.
    if (!isOutputClosed(error)) throw error;
  }
  if (!global.quiet && rows.policy.subject === "address") tellOtherNames(addresses, runtime);
  const failing = new FailingRows();
  failing.add("", pipeline.irregularities.byKind.get("failing"), 0);
  const line = failing.text(rows.failOn, summary.rows);
  if (line !== undefined && !global.quiet) warn(runtime, line);
  const status = detectStatus(summary, rows.failOn);
  if (end === undefined) return status;
  const counts = summary.report(Math.round(performance.now() - started), setup.lists.meta.dataVersion);
  return end.finish(counts, status);
}

export function detectStatus({ seen }: Summary, failOn: number): number {
  return (seen & failOn) === 0 ? 0 : 1;
}

/**
 * Makes what `prepare` makes over lists of that use. Lists that are read in pieces show damage only when used. Then
 * they are read as a whole, so that other lists can replace them.
 */
function withSoundLists<Prepared>(addresses: number, prepare: (use: "pieces" | "whole") => Prepared): Prepared {
  if (addresses > ADDRESSES_IN_PIECES) return prepare("whole");
  try {
    return prepare("pieces");
  } catch (error) {
    if (!isAddrsiftError(error) || error.code !== "DATA") throw error;
    return prepare("whole");
  }
}

async function oneOffResolver(options: DnsOptions): Promise<DnsResolver> {
  return (await import("../../dns.ts")).createDnsResolver(options);
}

/** Classifies addresses as given, without trimming. With inquiries, DNS is asked about all domains at once. */
async function takeAddresses(
  addresses: readonly string[],
  questions: readonly (string | undefined)[],
  pipeline: Pipeline,
  inquiries: Inquiries | undefined,
): Promise<void> {
  const asked = questions.map((question) => inquiries?.ask(question));
  pipeline.begin();
  const row = new Row();
  for (const [index, address] of addresses.entries()) {
    row.bytes = encodeUtf8(address);
    row.end = row.bytes.length;
    row.line = row.bytes;
    row.lineEnd = row.end;
    pipeline.row(row, false, await asked[index]?.arrived);
    if (pipeline.full) await pipeline.flush();
  }
  await pipeline.end();
}

// Endings that no domain has.
const FILE_ENDING = /\.(txt|csv|tsv|jsonl|ndjson|json|lst|log|gz)$/i;

/**
 * Throws AddrsiftError USAGE for an argument that has no @ and is the name of a file: no one wants that classified.
 * With --domains, a name that may be a domain is one.
 */
function refuseFiles(addresses: readonly string[], areDomains: boolean): void {
  const mayBeFile = (name: string): boolean =>
    !name.includes("@") && (!areDomains || !name.includes(".") || name.includes("/") || FILE_ENDING.test(name));
  const name = addresses.find((address) => mayBeFile(address) && isFile(address));
  if (name === undefined) return;
  const kind = /\.(csv|tsv)(\.gz)?$/i.test(name)
    ? "--csv"
    : /\.(json|jsonl|ndjson)(\.gz)?$/i.test(name)
      ? "--jsonl"
      : "--input";
  const how = areDomains ? `--domains ${kind}` : kind;
  throw usage(`${name} is a file: to read it, run addrsift detect ${how} ${name}`);
}

/** Says what a name of a file or a domain needs, where it was given as an address. */
function tellOtherNames(addresses: readonly string[], runtime: Pick<Runtime, "stderr">): void {
  const name = addresses.find((address) => /^[\w./~-]+\.[a-z]{2,}$/i.test(address));
  if (name === undefined) return;
  const [what, how] = FILE_ENDING.test(name)
    ? ["and there is no such file", "check its name and the folder"]
    : ["which an address needs", `for a domain run addrsift lists lookup ${name}, or add --domains`];
  warn(runtime, `${name} has no @, ${what}: ${how}`);
}

function isFile(name: string): boolean {
  try {
    return statSync(name, { throwIfNoEntry: false })?.isFile() ?? false;
  } catch {
    // The text can't be a path, or the path may not be looked at.
    return false;
  }
}
