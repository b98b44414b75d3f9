// The form that shows the detected format of a file and lets the user correct it.

import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { escapeInvisible } from "../../base/format-text.ts";
import { toSentence } from "../common/api.ts";
import { Table } from "../common/charts.tsx";
import { DnsCheckbox, LabeledInput, Select } from "../common/session.tsx";
import { formatSize } from "../common/text.ts";
import { ENCODINGS, type FileFormat, type FilePreview, KIND_TITLES, previewRows } from "./preview.ts";

const DELIMITERS = [
  [",", "comma"],
  [";", "semicolon"],
  ["\t", "tab"],
  ["|", "bar"],
  ["~", "tilde"],
  ["^", "caret"],
] as const;

interface FormProps {
  readonly preview: FilePreview;
  readonly onFormat: (format: FileFormat) => void;
  readonly onStart: (dns: boolean) => Promise<void>;
}

export function FormatForm({ preview, onFormat, onStart }: FormProps): ComponentChildren {
  const [dns, setDns] = useState(false);
  const { file, format, input, notes, needsColumn, isNotUtf8 } = preview;
  const { layout } = input;
  const { names, rows } = previewRows(preview);
  const column =
    layout.kind === "jsonl" ? names.indexOf(layout.path?.[0] ?? "") : layout.kind === "csv" ? layout.column : -1;
  const start = (event: Event): void => {
    event.preventDefault();
    void onStart(dns);
  };
  return (
    <form class="card" onSubmit={start}>
      <h2>
        <bdi>{escapeInvisible(file.name)}</bdi> <small>{formatSize(file.size)}</small>
      </h2>
      <fieldset class="row">
        <legend>Format</legend>
        {Object.entries(KIND_TITLES).map(([kind, title]) => (
          <LabeledInput
            key={kind}
            type="radio"
            name="kind"
            checked={format.kind === kind}
            onChange={() => onFormat({ kind: kind as FileFormat["kind"] })}
          >
            {title}
          </LabeledInput>
        ))}
      </fieldset>
      {layout.kind === "csv" && <TableFields {...{ format, layout, names, input, needsColumn, onFormat }} />}
      {layout.kind === "jsonl" && (
        <label>
          Key with the address
          <input
            value={needsColumn ? "" : (format.column ?? layout.path?.join(".") ?? "")}
            spellcheck={false}
            onChange={({ currentTarget }) => onFormat({ ...format, column: currentTarget.value })}
          />
        </label>
      )}
      {(isNotUtf8 || format.encoding !== undefined) && (
        <Select
          label="Encoding (not UTF-8)"
          value={format.encoding ?? ""}
          options={[["", "unknown"], ...ENCODINGS]}
          onChange={(encoding) => {
            const { column, ...others } = format;
            onFormat({ ...others, column: needsColumn ? undefined : column, encoding: encoding || undefined });
          }}
        />
      )}
      {names.length > 0 && <Table title="First rows" head={names} rows={rows} highlighted={column} />}
      {notes.map((note) => (
        <p key={note} class="note">
          {toSentence(escapeInvisible(note))}
        </p>
      ))}
      <DnsCheckbox dns={dns} onChange={setDns}>
        Look up unlisted domains in DNS (slower)
      </DnsCheckbox>
      <p>
        <button type="submit" class="main" disabled={needsColumn}>
          Classify
        </button>
      </p>
    </form>
  );
}

interface FieldsProps extends Pick<FormProps, "onFormat">, Pick<FilePreview, "format" | "input" | "needsColumn"> {
  readonly layout: { readonly column: number; readonly delimiter: number };
  readonly names: readonly string[];
}

function TableFields({ format, layout, names, input, needsColumn, onFormat }: FieldsProps): ComponentChildren {
  const { delimiter, skip = 0, noHeader = false, encoding } = format;
  const change = (changes: Partial<FileFormat>): void =>
    onFormat({ kind: "csv", delimiter, skip, noHeader, encoding, ...changes });
  return (
    <>
      <div class="fields">
        <Select
          label="Column with the address"
          value={needsColumn ? "" : String(layout.column + 1)}
          options={[
            ...(needsColumn ? [["", "choose one"] as const] : []),
            ...names.map((name, i) => [String(i + 1), escapeInvisible(name).slice(0, 60)] as const),
          ]}
          onChange={(column) => onFormat({ ...format, column })}
        />
        <Select
          label="Delimiter"
          value={String.fromCharCode(layout.delimiter)}
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
      </div>
      <LabeledInput
        type="checkbox"
        checked={input.names !== undefined}
        // A first row with an address is not a header.
        disabled={input.names === undefined && !noHeader}
        onChange={({ currentTarget }) => change({ noHeader: !currentTarget.checked })}
      >
        The first row is the header
      </LabeledInput>
    </>
  );
}
