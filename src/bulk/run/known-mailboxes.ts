// Reads the mailboxes of --known files: later rows with these mailboxes are duplicates.

import { AddrsiftError } from "../../base/errors.ts";
import { pluralize } from "../../base/format-text.ts";
import { Classifier, type ClassifierSetup } from "../../detection/classifier.ts";
import type { Duplicates } from "../duplicates.ts";
import { CLI_WORDING, InputError, usage, type Wording } from "../messages.ts";
import { Pipeline } from "../pipeline.ts";
import type { Renderer } from "../render/render.ts";
import type { DecodeContext } from "../rows/decode-input.ts";
import type { ByteSource } from "../streams.ts";
import { Summary } from "../summary.ts";
import { createKeyReader, missingKeyError } from "./columns.ts";
import { openWithDetectedFormat } from "./open-rows.ts";
import { processInput } from "./process-rows.ts";

const KNOWN_WORDING: Wording = {
  ...CLI_WORDING,
  option: (name, value) => CLI_WORDING.option(name === "column" ? "known-column" : name, value),
};
const NO_OUTPUT: Renderer = { begin: () => {}, row: () => {}, end: () => {} };

/**
 * Adds the mailboxes of a file to `duplicates`, from `column` or a detected column. The values of the column `key`
 * identify its rows in `duplicate_of`. Throws AddrsiftError if the file has no mailboxes or no such columns.
 */
export async function addKnownMailboxes(
  file: { readonly name: string; readonly source: ByteSource } & Readonly<Record<"column" | "key", string | undefined>>,
  duplicates: Duplicates,
  setup: ClassifierSetup,
  context: DecodeContext & { readonly shouldStop: () => boolean },
): Promise<void> {
  const { name, source, column, key } = file;
  const opened = await openWithDetectedFormat(source, name, column, context).catch((error: unknown) => {
    if (!(error instanceof InputError) || error.code !== "USAGE") throw error;
    const { headerLine } = error.suggestedOptions;
    const message =
      headerLine === undefined
        ? error.template(KNOWN_WORDING)
        : `${error.message.split(": ")[0]}: leave out the rows above it: tail -n +${headerLine} ${name} > FILE`;
    throw usage(() => `--known ${name}: ${message}`);
  });
  duplicates.keyOf = key === undefined ? undefined : createKeyReader(key, opened);
  if (key !== undefined && duplicates.keyOf === undefined) throw missingKeyError(key, name, opened);
  const summary = new Summary(false);
  const sink = { write: async () => {} };
  const output = { renderer: NO_OUTPUT, sink, select: 0, reject: 0, explain: undefined };
  const pipeline = new Pipeline({ classifier: new Classifier(setup), summary, duplicates, ...output });
  duplicates.lastKnownRow = Number.POSITIVE_INFINITY;
  await processInput(name, opened, {
    pipeline,
    format: {},
    scope: "address",
    dns: undefined,
    shouldStop: context.shouldStop,
  });
  duplicates.lastKnownRow = duplicates.lastRow;
  const notUtf8 = pipeline.warnings.byKind.get("not_utf8")?.count ?? 0;
  if (notUtf8 > 0) {
    const addresses = pluralize(notUtf8, "address", "addresses");
    context.onNote(
      `${addresses} not in UTF-8, not compared: convert it with iconv -f windows-1252 -t utf-8 ${name} > FILE`,
    );
  }
  if (duplicates.mailboxes === 0 && summary.rows > 0) {
    throw new AddrsiftError("INPUT", `--known ${name} has no valid address: is this the right file?`);
  }
}
