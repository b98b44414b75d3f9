// The form that shows how a file was understood, for corrections.

import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { escapeInvisible } from "../../base/format-text.ts";
import { toSentence } from "../common/api.ts";
import { Table } from "../common/charts.tsx";
import { DnsCheckbox, LabeledCheckbox } from "../common/session.tsx";
import { formatSize } from "../common/text.ts";
import { type FileFormat, type FilePreview, KIND_TITLES, previewRows } from "./preview.ts";

const DELIMITERS = [
  [",", "comma"],
  [";", "semicolon"],
  ["\t", "tab"],
  ["|", "bar"],
  ["~", "tilde"],
  ["^", "caret"],
] as const;

/** Encodings of files that are not UTF-8, by the names of the WHATWG. */
const ENCODINGS = [
  ["windows-1252", "Western European (Windows)"],
  ["macintosh", "Western European (old Mac)"],
  ["windows-1250", "Central European"],
  ["windows-1251", "Cyrillic"],
  ["windows-1253", "Greek"],
  ["windows-1254", "Turkish"],
  ["shift_jis", "Japanese (Shift JIS)"],
  ["gb18030", "Chinese (GB18030)"],
  ["big5", "Chinese (Big5)"],
  ["euc-kr", "Korean"],
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
        <legend>What it is</legend>
        {Object.entries(KIND_TITLES).map(([kind, title]) => (
          <LabeledCheckbox
            key={kind}
            type="radio"
            name="kind"
            checked={format.kind === kind}
            onChange={() => onFormat({ kind: kind as FileFormat["kind"] })}
          >
            {title}
          </LabeledCheckbox>
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
        <label>
          It is not UTF-8: its encoding is
          <select
            value={format.encoding ?? ""}
            onChange={({ currentTarget }) => {
              const { column, ...others } = format;
              const encoding = currentTarget.value === "" ? undefined : currentTarget.value;
              onFormat({ ...others, column: needsColumn ? undefined : column, encoding });
            }}
          >
            <option value="">unknown</option>
            {ENCODINGS.map(([name, title]) => (
              <option key={name} value={name}>
                {title}
              </option>
            ))}
          </select>
        </label>
      )}
      {names.length > 0 && <Table title="First rows" head={names} rows={rows} chosen={column} />}
      {notes.map((note) => (
        <p key={note} class="note">
          {toSentence(escapeInvisible(note))}
        </p>
      ))}
      <DnsCheckbox dns={dns} onChange={setDns}>
        Ask DNS about domains that no list knows; this takes longer
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
  return (
    <>
      <div class="fields">
        <label>
          Column with the address
          <select
            value={needsColumn ? "" : String(layout.column + 1)}
            onChange={({ currentTarget }) => onFormat({ ...format, column: currentTarget.value })}
          >
            {needsColumn && <option value="">choose one</option>}
            {names.map((name, i) => (
              <option key={i} value={String(i + 1)}>
                {escapeInvisible(name).slice(0, 60)}
              </option>
            ))}
          </select>
        </label>
        <label>
          Columns are separated by
          <select
            value={String.fromCharCode(layout.delimiter)}
            onChange={({ currentTarget }) =>
              onFormat({ kind: "csv", skip, noHeader, encoding, delimiter: currentTarget.value.charCodeAt(0) })
            }
          >
            {DELIMITERS.map(([char, name]) => (
              <option key={name} value={char}>
                {name}
              </option>
            ))}
          </select>
        </label>
        <label>
          Title rows to skip
          <input
            type="number"
            min="0"
            max="9999"
            value={String(skip)}
            onChange={({ currentTarget }) =>
              onFormat({
                kind: "csv",
                delimiter,
                noHeader,
                encoding,
                skip: Math.max(0, Math.trunc(Number(currentTarget.value))),
              })
            }
          />
        </label>
      </div>
      <LabeledCheckbox
        type="checkbox"
        checked={input.names !== undefined}
        // Where the first row has an address, it is not a header.
        disabled={input.names === undefined && !noHeader}
        onChange={({ currentTarget }) =>
          onFormat({ kind: "csv", delimiter, skip, encoding, noHeader: !currentTarget.checked })
        }
      >
        The first row has the names of the columns
      </LabeledCheckbox>
    </>
  );
}
