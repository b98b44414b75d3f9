// The form with the settings of a run: the format of the file, and the classes that the clean list leaves out.

import type { ComponentChildren, TargetedSubmitEvent } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { isUtf8 } from "../../base/bytes/bytes.ts";
import { escapeInvisible, toSentence } from "../../base/format-text.ts";
import { RARE_SEPARATORS } from "../../bulk/rows/csv-dialect.ts";
import { CLASS_MEANINGS, ROW_CLASS, type RowClass } from "../../detection/classes.ts";
import { Table } from "../common/charts.tsx";
import { DnsCheckbox, LabeledInput, Select } from "../common/session.tsx";
import { formatSize, humanize } from "../common/text.ts";
import { FILE_FIELDS } from "./collect-rows.ts";
import { ENCODINGS, type FileFormat, type FilePreview, KIND_TITLES, previewRows, type RunOptions } from "./preview.ts";

const DELIMITERS = [
  [",", "comma (,)"],
  [";", "semicolon (;)"],
  ["\t", "tab"],
  ...["|", "~", "^", ...RARE_SEPARATORS].map((char) => [char, char] as const),
] as const;

/**
 * Classes that the clean list always or never has, and `subaddressed`: if the first row of a mailbox were rejected for
 * its tag, and the others as duplicates, the list would lack the mailbox.
 */
const NOT_REJECTABLE = ["valid", "invalid", "blank", "subaddressed", "unreserved", "known"];
const DNS_CLASSES: readonly RowClass[] = ["no_mail", "unknown"];
const REJECTABLE_CLASSES = (Object.keys(ROW_CLASS) as RowClass[]).filter((name) => !NOT_REJECTABLE.includes(name));

type FieldsProps = Readonly<{ preview: FilePreview; onFormat: (format: FileFormat) => void }>;
type FormProps = FieldsProps & Readonly<{ options: RunOptions; onStart: (options: RunOptions) => Promise<void> }>;

export function FormatForm({ preview, options, onFormat, onStart }: FormProps): ComponentChildren {
  const [dns, setDns] = useState(options.dns);
  const { problem } = preview;
  const start = (event: TargetedSubmitEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    void onStart({ dns, rejected: form.getAll("rejected") as RowClass[], cleanHasFields: form.has("fields") });
  };
  return (
    <form class="card" aria-labelledby="file-title" onSubmit={start}>
      <FileTitle file={preview.file} />
      <FormatFields preview={preview} onFormat={onFormat} />
      <div role="status">{problem !== undefined && <p class="problem">{problem}</p>}</div>
      {problem === undefined && <FirstRows preview={preview} />}
      <DnsCheckbox dns={dns} onChange={setDns}>
        Look up unlisted domains in DNS (slower)
      </DnsCheckbox>
      <fieldset class="row">
        <legend>Left out of the clean list, besides invalid addresses</legend>
        {REJECTABLE_CLASSES.filter((name) => dns || !DNS_CLASSES.includes(name)).map((name) => (
          <LabeledInput
            key={name}
            type="checkbox"
            name="rejected"
            value={name}
            title={CLASS_MEANINGS[name]}
            // A run without DNS lookups had no checkbox for it.
            defaultChecked={options.rejected.includes(name) || (name === "no_mail" && !options.dns)}
          >
            {humanize(name)}
            {name === "duplicate" && " (rows after the first)"}
          </LabeledInput>
        ))}
      </fieldset>
      <LabeledInput type="checkbox" name="fields" defaultChecked={options.cleanHasFields}>
        Add the classification ({FILE_FIELDS.length} fields) to the clean list
      </LabeledInput>
      <button type="submit" class="main">
        Classify
      </button>
    </form>
  );
}

/** Takes the focus, because the button that opened the form or the run is gone. */
export function FileTitle({ file }: Pick<FilePreview, "file">): ComponentChildren {
  const title = useRef<HTMLHeadingElement>(null);
  useEffect(() => title.current?.focus(), []);
  return (
    <h2 id="file-title" ref={title} tabIndex={-1}>
      <bdi>{escapeInvisible(file.name)}</bdi> <small>{formatSize(file.size)}</small>
    </h2>
  );
}

function FormatFields({ preview, onFormat }: FieldsProps): ComponentChildren {
  const { format, input, needsColumn, problem } = preview;
  const { layout, buffer } = input;
  const hasUtf8 = isUtf8(buffer.unread);
  return (
    <>
      <div class="fields">
        <Select
          label="Format"
          value={format.kind}
          options={Object.entries(KIND_TITLES)}
          onChange={(kind) => onFormat({ kind: kind as FileFormat["kind"] })}
        />
        {layout.kind === "csv" && format.kind === "csv" && <TableFields {...{ preview, layout, onFormat }} />}
        {layout.kind === "jsonl" && format.kind === "jsonl" && (
          <label>
            Key with the address
            <input
              required
              value={needsColumn ? "" : (format.column ?? layout.path?.join(".") ?? "")}
              spellcheck={false}
              onChange={({ currentTarget }) => onFormat({ ...format, column: currentTarget.value })}
            />
          </label>
        )}
        <Select
          label="Encoding"
          value={format.encoding ?? ""}
          options={[["", hasUtf8 && format.encoding === undefined ? "UTF-8" : "unchanged"], ...ENCODINGS]}
          onChange={(encoding) =>
            onFormat({ ...format, column: needsColumn ? undefined : format.column, encoding: encoding || undefined })
          }
        />
      </div>
      {needsColumn && problem === undefined && <p class="verdict warn">Choose the column or key with the address.</p>}
      {!hasUtf8 && (
        <p class="note">The file is not in UTF-8: choose its encoding if addresses have letters such as é.</p>
      )}
    </>
  );
}

type TableFieldsProps = FieldsProps & Readonly<{ layout: { column: number; delimiter: number } }>;

function TableFields({ preview, layout, onFormat }: TableFieldsProps): ComponentChildren {
  const { format, input, needsColumn } = preview;
  const { names } = previewRows(preview);
  const { delimiter, skip = 0, noHeader = false, encoding } = format;
  const change = (changes: Partial<FileFormat>): void =>
    onFormat({ kind: "csv", delimiter, skip, noHeader, encoding, ...changes });
  return (
    <>
      <Select
        label="Column with the address"
        required
        value={needsColumn ? "" : String(layout.column + 1)}
        options={[
          ...(needsColumn ? [["", "choose one"] as const] : []),
          ...names.map((name, i) => [String(i + 1), escapeInvisible(name).slice(0, 60)] as const),
        ]}
        onChange={(column) => onFormat({ ...format, column })}
      />
      <Select
        label="Delimiter"
        value={String.fromCharCode(delimiter ?? layout.delimiter)}
        options={DELIMITERS}
        onChange={(char) => change({ delimiter: char.charCodeAt(0) })}
      />
      <label>
        Rows to skip
        <input
          type="number"
          min="0"
          max="9999"
          value={String(skip)}
          onChange={({ currentTarget }) => change({ skip: Math.max(0, Math.trunc(Number(currentTarget.value))) })}
        />
      </label>
      <LabeledInput
        type="checkbox"
        checked={input.names !== undefined && !noHeader}
        // A first row with an address is not a header.
        disabled={input.names === undefined && !noHeader}
        onChange={({ currentTarget }) => change({ noHeader: !currentTarget.checked })}
      >
        The first row is the header
      </LabeledInput>
    </>
  );
}

function FirstRows({ preview }: Pick<FieldsProps, "preview">): ComponentChildren {
  const { layout } = preview.input;
  const { names, rows } = previewRows(preview);
  const column =
    layout.kind === "csv" ? layout.column : names.indexOf((layout.kind === "jsonl" && layout.path?.[0]) || "");
  // Scrolls a wide table to the column.
  useEffect(() => {
    const cell = document.querySelector<HTMLElement>("th.highlighted");
    const box = cell?.closest("section");
    if (cell && box) box.scrollLeft = cell.offsetLeft + cell.offsetWidth - box.clientWidth;
  }, [preview]);
  return (
    <>
      <Table title="First rows" head={names} rows={rows} highlighted={preview.needsColumn ? -1 : column} />
      {preview.notes.map((note) => (
        <p key={note} class="note">
          {toSentence(escapeInvisible(note))}
        </p>
      ))}
    </>
  );
}
