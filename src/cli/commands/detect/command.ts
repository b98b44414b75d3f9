// `addrsift detect`: what a call asks for decides which code is loaded. Addresses without options need the least, which
// is here.

import { statSync } from "node:fs";
import { encodeUtf8 } from "../../../base/bytes/bytes.ts";
import { isAddrsiftError, usage } from "../../../base/errors.ts";
import type { Pipeline } from "../../../bulk/pipeline.ts";
import { isOutputClosed } from "../../../bulk/ports.ts";
import { createRenderer, DATA_FORMATS } from "../../../bulk/render/render.ts";
import type { RowOutput } from "../../../bulk/row-layout.ts";
import { Row } from "../../../bulk/rows/row.ts";
import type { Inquiries } from "../../../bulk/run/inquiries.ts";
import { openRun } from "../../../bulk/run/open-run.ts";
import { Summary } from "../../../bulk/summary.ts";
import { openInquiries, withNameServers } from "../../open/dns.ts";
import { classifierSetup, knownInUse } from "../../open/known.ts";
import { DETECT } from "../../options/detect.ts";
import { type Arguments, checkArguments } from "../../options/table.ts";
import type { Runtime } from "../../runtime.ts";
import { warn } from "../../terminal/output.ts";
import type { Extras } from "./extras.ts";
import { detectStatus, FailingRows } from "./failing-rows.ts";
import { type DetectSettings, readDetectSettings } from "./settings.ts";

// For more addresses than this, reading the whole lists is faster.
const ADDRESSES_IN_PIECES = 50;

export function detectOnly(addresses: readonly string[], runtime: Runtime): Promise<number> {
  return detect(checkArguments(DETECT, addresses, {}, runtime.env), runtime);
}

export async function detect(args: Arguments<typeof DETECT>, runtime: Runtime): Promise<number> {
  const settings = readDetectSettings(args);
  if (settings.addresses.length === 0) return (await import("./files.ts")).detectFiles(settings, runtime);
  const output = plainOutput(settings, runtime.stdout.maybeTerminal);
  const extras = output === undefined ? await (await import("./extras.ts")).openExtras(settings, runtime) : { output };
  return detectAddresses(settings, extras, runtime);
}

/** The output of a call that answers with detections and does nothing besides; undefined for any other call. */
function plainOutput(
  { format: asked, rows, summary, summaryFile, notify }: DetectSettings,
  maybeTerminal: boolean,
): RowOutput | undefined {
  const { fields, explain, duplicates, spreadsheetSafe } = rows;
  if (summary || explain || duplicates) return undefined;
  if (fields !== undefined || summaryFile !== undefined || notify !== undefined) return undefined;
  const own = asked === "auto" && !maybeTerminal ? "ndjson" : asked;
  const format = DATA_FORMATS.find((known) => known === own);
  if (format === undefined) return undefined;
  return { format, createRenderer: () => createRenderer(format, { spreadsheetSafe }), createExplain: undefined };
}

/** Classifies the addresses, and returns the exit status. Asks and writes nothing twice. */
async function detectAddresses(
  { addresses, rows, dns, global }: DetectSettings,
  { output, end, duplicates }: Extras,
  runtime: Runtime,
): Promise<number> {
  const areDomains = rows.policy.subject === "domain";
  refuseFiles(addresses, areDomains);
  // Few rows are written at once, which is the shortest way for a one-off.
  const sink = { write: async (bytes: Uint8Array): Promise<void> => runtime.stdout.write(bytes) };
  const summary = new Summary(end?.withNames ?? false);
  const { setup, pipeline, questions } = withSoundLists(addresses.length, (use) => {
    const setup = classifierSetup(rows.policy, knownInUse(global, runtime, use), 0);
    const pipeline = openRun({ setup, rows, output, opened: { layout: { kind: "lines" } }, summary, sink, duplicates });
    const { classifier } = pipeline.setup;
    const questions = addresses.map(encodeUtf8).map((bytes) => classifier.question(bytes, 0, bytes.length));
    return { setup, pipeline, questions };
  });
  const inquiries = dns.mode === "off" ? undefined : openInquiries(withNameServers(dns, runtime.env), setup);
  // Loading `performance` takes a millisecond, so only a run that reports its time asks for it.
  const started = end === undefined ? 0 : performance.now();
  try {
    await takeAddresses(addresses, questions, pipeline, inquiries);
  } catch (error) {
    if (!isOutputClosed(error)) throw error;
  }
  const failing = new FailingRows();
  failing.add("", pipeline.irregularities.byKind.get("failing"), false);
  const notes = [areDomains ? undefined : otherName(addresses), failing.text(rows.failOn, summary.rows)];
  for (const line of global.quiet ? [] : notes) if (line !== undefined) warn(runtime, line);
  const status = detectStatus(summary, rows.failOn);
  if (end === undefined) return status;
  const counts = summary.report(Math.round(performance.now() - started), setup.lists.meta.dataVersion);
  return end.finish(counts, setup, status);
}

/** Lists in pieces show damage only when used. Then they are read as a whole, so that others replace them. */
function withSoundLists<Prepared>(addresses: number, prepare: (use: "pieces" | "whole") => Prepared): Prepared {
  if (addresses > ADDRESSES_IN_PIECES) return prepare("whole");
  try {
    return prepare("pieces");
  } catch (error) {
    if (!isAddrsiftError(error) || error.code !== "DATA") throw error;
    return prepare("whole");
  }
}

/** Classifies addresses as given, without trimming. With inquiries, DNS is asked about all domains at once. */
async function takeAddresses(
  addresses: readonly string[],
  questions: readonly (string | undefined)[],
  pipeline: Pipeline,
  inquiries: Inquiries | undefined,
): Promise<void> {
  const asked = questions.map((question) => (question === undefined ? undefined : inquiries?.ask(question)));
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

/** Throws AddrsiftError USAGE for the name of a file, which has no @. With --domains it must not look like a domain. */
function refuseFiles(addresses: readonly string[], areDomains: boolean): void {
  const mayBeFile = (name: string): boolean =>
    !name.includes("@") && (!areDomains || !name.includes(".") || name.includes("/") || FILE_ENDING.test(name));
  const name = addresses.find((address) => mayBeFile(address) && isFile(address));
  if (name === undefined) return;
  const [, ending = ""] = /\.([a-z]+)(?:\.gz)?$/i.exec(name) ?? [];
  const isJson = /^(json|jsonl|ndjson)$/i.test(ending);
  const kind = /^[ct]sv$/i.test(ending) ? "--csv" : isJson ? "--jsonl" : "--input";
  const how = areDomains ? `--domains ${kind}` : kind;
  throw usage(`${name} is a file: to read it, run addrsift detect ${how} ${name}`);
}

function otherName(addresses: readonly string[]): string | undefined {
  const name = addresses.find((address) => /^[\w./~-]+\.[a-z]{2,}$/i.test(address));
  if (name === undefined) return undefined;
  const [what, how] = FILE_ENDING.test(name)
    ? ["and there is no such file", "check its name and the folder"]
    : ["which an address needs", `for a domain run addrsift lists lookup ${name}, or add --domains`];
  return `${name} has no @, ${what}: ${how}`;
}

function isFile(name: string): boolean {
  try {
    return statSync(name, { throwIfNoEntry: false })?.isFile() ?? false;
  } catch {
    // The text can't be a path, or the path may not be looked at.
    return false;
  }
}
