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
  const { file, format, input, needsColumn, isNotUtf8 } = preview;
  const { layout } = input;
  const start = (event: Event): void => {
    event.preventDefault();
    void onStart(dns);
  };
  return (
    <form class="card" onSubmit={start}>
      <h2>
        <bdi>{escapeInvisible(file.name)}</bdi> <small>{formatSize(file.size)}</small>
      </h2>
      <Select
        label="Format"
        value={format.kind}
        options={Object.entries(KIND_TITLES)}
        onChange={(kind) => onFormat({ kind: kind as FileFormat["kind"] })}
      />
      {layout.kind === "csv" && <TableFields {...{ preview, layout, onFormat }} />}
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
          onChange={(encoding) =>
            onFormat({ ...format, column: needsColumn ? undefined : format.column, encoding: encoding || undefined })
          }
        />
      )}
      <FirstRows preview={preview} />
      <DnsCheckbox dns={dns} onChange={setDns}>
        Look up unlisted domains in DNS (slower)
      </DnsCheckbox>
      <button type="submit" class="main" disabled={needsColumn}>
        Classify
      </button>
    </form>
  );
}

function FirstRows({ preview }: Pick<FormProps, "preview">): ComponentChildren {
  const { layout } = preview.input;
  const { names, rows } = previewRows(preview);
  const column =
    layout.kind === "csv" ? layout.column : names.indexOf((layout.kind === "jsonl" && layout.path?.[0]) || "");
  return (
    <>
      {names.length > 0 && (
        <Table title="First rows" head={names} rows={rows} highlighted={preview.needsColumn ? -1 : column} />
      )}
      {preview.notes.map((note) => (
        <p key={note} class="note">
          {toSentence(escapeInvisible(note))}
        </p>
      ))}
    </>
  );
}

interface FieldsProps extends Pick<FormProps, "preview" | "onFormat"> {
  readonly layout: { readonly column: number; readonly delimiter: number };
}

function TableFields({ preview, layout, onFormat }: FieldsProps): ComponentChildren {
  const { format, input, needsColumn } = preview;
  const { names } = previewRows(preview);
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
