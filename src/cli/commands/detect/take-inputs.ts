// The rows of all inputs, one input after another, through one pipeline; what is odd in an input is told when its rows are taken.

import { AddrsiftError, isAddrsiftError } from "../../../base/errors.ts";
import type { Pipeline } from "../../../bulk/pipeline.ts";
import { OutputClosed } from "../../../bulk/ports.ts";
import type { Watch } from "../../../bulk/reader.ts";
import type { ReportCounts } from "../../../bulk/report-counts.ts";
import type { Runtime } from "../../runtime.ts";
import { warn } from "../../terminal/say.ts";
import { FailingRows } from "./failing-rows.ts";
import { type Input, type InputContext, openInput } from "./input.ts";
import { type Inputs, shownInput } from "./inputs.ts";
import { irregularText, type Progress } from "./progress.ts";
import type { DetectSettings } from "./settings.ts";

/** What a run over inputs needs. */
export interface TakeSetup {
  readonly settings: DetectSettings;
  readonly runtime: Runtime;
  readonly inputs: Inputs;
  /** The first input, which was opened. */
  readonly first: Input;
  readonly pipeline: Pipeline;
  readonly report: ReportCounts | undefined;
  readonly progress: Progress | undefined;
  /** Takes all rows of an input. */
  readonly readAll: (input: Input) => Promise<void>;
  /** True ends the run. */
  readonly watch: Watch;
}

/** Opens the input with this index; `first` is the first one, when it is a further one, and has the fields. */
export async function openNext(
  inputs: Inputs,
  index: number,
  settings: DetectSettings,
  runtime: Runtime,
  { first, fields }: Pick<InputContext, "first" | "fields">,
): Promise<Input> {
  const { source, shown } = inputs.open(inputs.names[index] as string);
  const named = inputs.names.length > 1 ? `${shown}: ` : "";
  const tell = (note: string): void => {
    if (!settings.global.quiet) warn(runtime, named + note);
  };
  return ofInput(named, () => openInput(source, settings, runtime, { shown, tell, first, fields }));
}

/** Takes the rows of all inputs and writes their output; gives the rows that --fail-on looks for. */
export async function takeInputs(setup: TakeSetup): Promise<FailingRows> {
  const { settings, first, pipeline } = setup;
  const failing = new FailingRows();
  pipeline.passThrough(first.opening, false);
  // The outputs of parts are joined, so a part has no header of its own.
  if (!settings.part) pipeline.begin();
  try {
    await takeEach(setup, failing);
  } catch (error) {
    // The rows before an unreadable one are written.
    if (!(error instanceof OutputClosed)) await pipeline.settle();
    throw error;
  }
  await pipeline.end();
  return failing;
}

async function takeEach(setup: TakeSetup, failing: FailingRows): Promise<void> {
  const { settings, runtime, inputs, first, pipeline, report, progress, readAll, watch } = setup;
  for (const [index, name] of inputs.names.entries()) {
    const named = inputs.names.length > 1 ? `${shownInput(name)}: ` : "";
    const input = index === 0 ? first : await openNext(inputs, index, settings, runtime, { first });
    pipeline.rowNumber = input.headerRows;
    input.renderer.beginInput?.(name, input.headerLines);
    report?.beginInput(shownInput(name));
    // Writes the header before more input is awaited.
    await pipeline.settle();
    await ofInput(named, () => readAll(input));
    progress?.clear();
    if (!settings.global.quiet) runtime.stderr.write(irregularText(pipeline.irregularities, named));
    failing.add(named, pipeline.irregularities.byKind.get("failing"));
    pipeline.irregularities.byKind.clear();
    if (watch()) return;
  }
}

/** Among several inputs, an error names the one that it is about. */
async function ofInput<Value>(named: string, act: () => Promise<Value>): Promise<Value> {
  try {
    return await act();
  } catch (error) {
    const isAboutInput = isAddrsiftError(error) && (error.code === "INPUT" || error.code === "USAGE");
    if (!isAboutInput || error.message.includes(named.replace(/: $/, ""))) throw error;
    throw new AddrsiftError(error.code, named + error.message, error);
  }
}
