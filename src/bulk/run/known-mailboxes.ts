// Reads the mailboxes of --known files: later rows with these mailboxes are duplicates.

import { AddrsiftError, isAddrsiftError } from "../../base/errors.ts";
import { pluralize } from "../../base/format-text.ts";
import { ROW_CLASS } from "../../detection/classes.ts";
import { Classifier, type ClassifierSetup } from "../../detection/classifier.ts";
import type { Duplicates } from "../duplicates.ts";
import { appendFileOperand, CLI_WORDING, renderMessage, type Wording } from "../messages.ts";
import { Pipeline } from "../pipeline.ts";
import type { Renderer } from "../render/render.ts";
import type { DecodeContext } from "../rows/decode-input.ts";
import { formatRowNumbers, formatRowWarnings } from "../rows/row-warnings.ts";
import type { ByteSource } from "../streams.ts";
import { Summary } from "../summary.ts";
import { createKeyReader, missingKeyError } from "./columns.ts";
import { openWithDetectedFormat } from "./open-rows.ts";
import { processInput } from "./process-rows.ts";

interface KnownFile extends Readonly<Record<"column" | "key", string | undefined>> {
  readonly name: string;
  readonly source: ByteSource;
}

/**
 * Adds the mailboxes of a file to `duplicates`, from `column` or a detected column. The values of the column `key`
 * identify its rows in `duplicate_of`. Throws AddrsiftError if the file has no mailboxes or no such columns.
 */
export async function addKnownMailboxes(
  file: KnownFile,
  duplicates: Duplicates,
  setup: ClassifierSetup,
  context: DecodeContext & { readonly shouldStop: () => boolean },
): Promise<void> {
  try {
    await readKnownMailboxes(file, duplicates, setup, context);
  } catch (error) {
    const isAboutFile = isAddrsiftError(error) && (error.code === "INPUT" || error.code === "USAGE");
    if (!isAboutFile || error.message.split(/[ :]+/).includes(file.name)) throw error;
    throw new AddrsiftError(error.code, `--known ${file.name}: ${formatKnownError(error, file.name)}`, error);
  }
}

function formatKnownError(error: AddrsiftError, name: string): string {
  const wording: Wording = {
    ...CLI_WORDING,
    option: (option, value) => CLI_WORDING.option(option === "column" ? "known-column" : option, value),
    send: (program) => `use the output of ${appendFileOperand(program).replace("FILE", name)}`,
  };
  return renderMessage(wording, error);
}

async function readKnownMailboxes(
  { name, source, column, key }: KnownFile,
  duplicates: Duplicates,
  setup: ClassifierSetup,
  context: DecodeContext & { readonly shouldStop: () => boolean },
): Promise<void> {
  const opened = await openWithDetectedFormat(source, name, column, context);
  duplicates.keyOf = key === undefined ? undefined : createKeyReader(key, opened);
  if (key !== undefined && duplicates.keyOf === undefined) throw missingKeyError(key, name, opened);
  const summary = new Summary(false);
  const sink = { write: async () => {} };
  const renderer: Renderer = { row: () => {} };
  const output = { renderer, sink, select: 0, reject: 0, failOn: ROW_CLASS.invalid, explain: undefined };
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
  const { byKind } = pipeline.warnings;
  const fix = byKind.has("not_utf8") ? `if it is not in UTF-8, use iconv -f windows-1252 -t utf-8 ${name}` : "";
  if ((summary.seenClassBits & ROW_CLASS.valid) === 0 && summary.rows > 0) {
    throw new AddrsiftError("INPUT", `no row has a valid address: ${fix || "is this the right file?"}`);
  }
  const { joined_rows } = pipeline.warnings.irregular;
  if (joined_rows !== undefined) formatRowWarnings({ joined_rows }, CLI_WORDING).forEach(context.onNote);
  const invalid = byKind.get("failing");
  if (invalid === undefined) return;
  const rows = pluralize(invalid.rows, "row", "rows");
  context.onNote(`${rows} without a valid address, not compared (${formatRowNumbers(invalid)})${fix && `: ${fix}`}`);
}
