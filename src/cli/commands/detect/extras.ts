// Extras of `detect` on addresses, besides plain detections: other formats, comparison, a summary, a channel. Loaded
// when it is asked for.

import { AddrsiftError } from "../../../base/errors.ts";
import { shownNumber } from "../../../base/shown.ts";
import { Duplicates, KEY_WORDS, MAILBOX_BYTES } from "../../../bulk/duplicates.ts";
import type { RowOutput } from "../../../bulk/row-layout.ts";
import type { Notify } from "../../open/tell.ts";
import type { Runtime } from "../../runtime.ts";
import { openEnd, type RunEnd } from "./end.ts";
import { formatOf, rowOutput } from "./formats.ts";
import { type DetectSettings, MEMORY_MAX } from "./settings.ts";

/** Extras of one call, opened. */
export interface Extras {
  readonly output: RowOutput;
  readonly end?: RunEnd;
  readonly duplicates?: Duplicates | undefined;
}

export async function openExtras(settings: DetectSettings, runtime: Runtime): Promise<Extras> {
  const { stdout, stderr, now } = runtime;
  const notify = await openNotify(settings, runtime);
  const format = formatOf(settings, stdout.isTerminal);
  const output = await rowOutput(format, settings.rows, runtime, { colour: !settings.global["no-color"], waits: true });
  const end = await openEnd({ ...settings, printsSummary: settings.summary, notify, stderr, now });
  return { output, end, duplicates: openDuplicates(settings) };
}

/** The channel of --notify. */
export async function openNotify(
  { notify: channel, notifyRequired, global, allowPrivate }: DetectSettings,
  runtime: Runtime,
): Promise<Notify | undefined> {
  if (channel === undefined) return undefined;
  const { openCompletion } = await import("../../open/tell.ts");
  return openCompletion(channel, notifyRequired, { ...global, "allow-private": allowPrivate }, runtime);
}

/** Compares rows in the megabytes of --memory, where that is asked for. */
export function openDuplicates({ rows, memory: megabytes }: DetectSettings): Duplicates | undefined {
  if (!rows.duplicates) return undefined;
  const key = crypto.getRandomValues(new Int32Array(KEY_WORDS));
  return new Duplicates(key, Math.floor((1e6 * megabytes) / MAILBOX_BYTES), (rows) => {
    const more = megabytes < MEMORY_MAX ? `give more with --memory ${Math.min(2 * megabytes, MEMORY_MAX)}, or ` : "";
    const message =
      `the mailboxes of the first ${shownNumber(rows)} rows fill ${shownNumber(megabytes)} MB: ${more}leave ` +
      `duplicate and duplicate_of out`;
    return new AddrsiftError("OPERATION", message);
  });
}
