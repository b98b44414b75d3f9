// What every `detect` call has: its pipeline, its exit status. Where rows come from is its caller's.

import { classBits, type RowClass } from "../../../bulk/classes.ts";
import type { Inquiries } from "../../../bulk/live/inquiries.ts";
import { Pipeline } from "../../../bulk/pipeline.ts";
import type { ByteSink } from "../../../bulk/ports.ts";
import type { Renderer } from "../../../bulk/render.ts";
import { Row } from "../../../bulk/rows/row.ts";
import type { Summary } from "../../../bulk/summary.ts";
import { encodeUtf8 } from "../../../bytes/octets.ts";
import type { ClassifierSetup } from "../../../detection/classifier.ts";
import { Classifier } from "../../../detection/classifier.ts";
import type { Explain } from "../../../detection/explain.ts";
import type { Arguments } from "../../options/arguments.ts";
import { writeNow } from "../../terminal/streams.ts";

/** The parts that differ from call to call. */
export interface RunParts {
  readonly setup: ClassifierSetup;
  readonly renderer: Renderer;
  readonly sink: ByteSink | undefined;
  readonly summary: Summary;
  readonly explain: Explain | undefined;
}

/** Few rows are written at once: the fewest steps to a one-off's answer. */
export const IMMEDIATE_OUTPUT: ByteSink = { write: async (octets) => writeNow(1, octets) };

/** The pipeline that the options ask for. */
export function createPipeline(args: Arguments, parts: RunParts): Pipeline {
  return new Pipeline({
    classifier: new Classifier(parts.setup),
    renderer: parts.renderer,
    summary: parts.summary,
    sink: parts.sink,
    select: classBits(args.list("select") as RowClass[]),
    reject: classBits(args.list("reject") as RowClass[]),
    explain: parts.explain,
  });
}

/** The domains of which DNS may tell more, by address. Nothing is asked or written yet, so a failure leaves no trace. */
export function questionsOf(addresses: readonly string[], pipeline: Pipeline): (string | undefined)[] {
  return addresses.map((address) => pipeline.question(encodeUtf8(address)));
}

/** Classifies addresses as they are given: nothing is trimmed. With inquiries, DNS is asked of all domains at once. */
export async function detectArguments(
  addresses: readonly string[],
  pipeline: Pipeline,
  inquiries?: Inquiries,
  questions: readonly (string | undefined)[] = inquiries === undefined ? [] : questionsOf(addresses, pipeline),
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
export function detectStatus(args: Arguments, summary: Summary): number {
  return (summary.seen & classBits(args.list("fail-on") as RowClass[])) === 0 ? 0 : 1;
}
