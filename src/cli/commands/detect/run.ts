// What every `detect` call needs: its pipeline and its exit status; and the run over addresses given as arguments.

import { encodeUtf8 } from "../../../base/bytes/octets.ts";
import { isAddrsiftError } from "../../../base/errors.ts";
import type { DomainTally } from "../../../bulk/domain-tally.ts";
import type { Inquiries } from "../../../bulk/live/inquiries.ts";
import { Pipeline } from "../../../bulk/pipeline.ts";
import { type ByteSink, isOutputClosed } from "../../../bulk/ports.ts";
import type { Renderer } from "../../../bulk/render/render.ts";
import type { ReportCounts } from "../../../bulk/report-counts.ts";
import { Row } from "../../../bulk/rows/row.ts";
import type { RowSettings } from "../../../bulk/run/settings.ts";
import { Summary, type SummaryReport } from "../../../bulk/summary.ts";
import { Classifier, type ClassifierSetup } from "../../../detection/classifier.ts";
import type { Explain } from "../../../detection/explain.ts";
import type { DnsOptions, DnsResolver } from "../../../dns/resolver.ts";
import type { CompiledLists } from "../../../lists/table.ts";
import { classifierSetup } from "../../open/classifier.ts";
import { openInquiries } from "../../open/dns.ts";
import { listsInUse } from "../../open/lists.ts";
import { overridesInUse } from "../../open/overrides.ts";
import type { Runtime } from "../../runtime.ts";
import { FailingRows } from "./failing-rows.ts";
import { refuseFiles } from "./file-names.ts";
import type { DetectSettings } from "./settings.ts";

/** What is done when a run ends. */
export interface RunEnd {
  /** Also count domains by name. */
  readonly withNames: boolean;
  /** Gives the exit status after that. */
  finish(report: SummaryReport, status: number): Promise<number>;
}

/** What the caller adds to a run. */
export interface RunParts {
  readonly renderer: (setup: ClassifierSetup) => Renderer;
  /** Makes evidence; undefined where the format shows none. */
  readonly createExplain: ((setup: ClassifierSetup) => Explain) | undefined;
  readonly end: RunEnd | undefined;
}

// For more addresses than this, reading the whole lists is faster.
const ADDRESSES_IN_PIECES = 50;

/** Classifies the addresses given as arguments; gives the exit status. Asks and writes nothing twice. */
export async function detectAddresses(settings: DetectSettings, runtime: Runtime, parts: RunParts): Promise<number> {
  refuseFiles(settings.addresses, settings.rows.policy.subject === "domain");
  const { lists, pipeline, inquiries, summary, questions } = prepareWithSoundLists(settings, runtime, parts);
  // Loading `performance` takes a millisecond, so only a run that tells its time asks for it.
  const started = parts.end === undefined ? 0 : performance.now();
  try {
    await takeAddresses(settings.addresses, questions, pipeline, inquiries);
  } catch (error) {
    // The reader of the output has closed it.
    if (!isOutputClosed(error)) throw error;
  }
  if (!settings.global.quiet) {
    const failing = new FailingRows();
    failing.add("", pipeline.irregularities.byKind.get("failing"));
    runtime.stderr.write(failing.text(settings.rows.failOn, summary.rows));
  }
  const status = detectStatus(settings, summary);
  if (parts.end === undefined) return status;
  return parts.end.finish(summary.report(Math.round(performance.now() - started), lists.meta.dataVersion), status);
}

/** Everything that a run over addresses needs. */
interface PreparedRun {
  readonly lists: CompiledLists;
  readonly summary: Summary;
  readonly pipeline: Pipeline;
  readonly inquiries: Inquiries | undefined;
  /** For each address, the domain that DNS can be asked about. */
  readonly questions: readonly (string | undefined)[];
}

/**
 * Lists that are read in pieces show damage only when used. Then they are read as a whole, so that other lists can replace them.
 */
function prepareWithSoundLists(settings: DetectSettings, runtime: Runtime, parts: RunParts): PreparedRun {
  if (settings.addresses.length > ADDRESSES_IN_PIECES) return prepare(settings, runtime, parts, "whole");
  try {
    return prepare(settings, runtime, parts, "pieces");
  } catch (error) {
    if (!isAddrsiftError(error) || error.code !== "DATA") throw error;
    return prepare(settings, runtime, parts, "whole");
  }
}

/** Asks and writes nothing, so it can be repeated after a failure. */
function prepare(
  { addresses, rows, dns, global }: DetectSettings,
  runtime: Runtime,
  parts: RunParts,
  use: "pieces" | "whole",
): PreparedRun {
  // Before the lists, whose warnings would come twice where these can't be used.
  const overrides = overridesInUse(global, runtime, use);
  const lists = listsInUse(global, runtime, use);
  const setup = classifierSetup(rows.policy, runtime, { lists, overrides }, 0);
  const summary = new Summary(parts.end?.withNames ?? false);
  // Few rows are written at once, which is the shortest way for a one-off.
  const sink: ByteSink = { write: async (octets) => runtime.stdout.write(octets) };
  const explain = parts.createExplain?.(setup);
  const pipeline = createPipeline(rows, { setup, renderer: parts.renderer(setup), summary, sink, explain });
  const questions = addresses.map((address) => pipeline.question(encodeUtf8(address)));
  const createResolver = async (options: DnsOptions): Promise<DnsResolver> =>
    runtime.bundle("dns").createDnsResolver(options);
  const inquiries = dns.mode === "off" ? undefined : openInquiries(dns, runtime, setup, createResolver);
  return { lists, summary, pipeline, inquiries, questions };
}

/** The pipeline of a run. */
export function createPipeline(
  { select, reject, failOn }: RowSettings,
  parts: {
    readonly setup: ClassifierSetup;
    readonly renderer: Renderer;
    readonly summary: Summary;
    readonly sink: ByteSink | undefined;
    readonly report?: ReportCounts | undefined;
    readonly tally?: ((classifier: Classifier) => DomainTally) | undefined;
    readonly explain: Explain | undefined;
  },
): Pipeline {
  const { setup, tally, ...others } = parts;
  const classifier = new Classifier(setup);
  return new Pipeline({ classifier, select, reject, failOn, ...others, tally: tally?.(classifier) });
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
    row.octets = encodeUtf8(address);
    row.end = row.octets.length;
    row.line = row.octets;
    row.lineEnd = row.end;
    pipeline.row(row, false, await asked[index]?.arrived);
    if (pipeline.full) await pipeline.flush();
  }
  await pipeline.end();
}

/** The exit status by --fail-on. */
export function detectStatus({ rows }: DetectSettings, summary: Summary): number {
  return (summary.seen & rows.failOn) === 0 ? 0 : 1;
}
