// The form that shows how a file was understood, for corrections.

import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { escapeInvisible } from "../../base/format-text.ts";
import { sentence } from "../common/api.ts";
import { Table } from "../common/figures.tsx";
import { AskDns, Tick } from "../common/session.tsx";
import { shownSize } from "../common/text.ts";
import { type Choice, KINDS, type OpenedFile, previewOf } from "./look.ts";

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
  readonly looked: OpenedFile;
  readonly onChoice: (choice: Choice) => void;
  readonly onStart: (dns: boolean) => Promise<void>;
}

export function LayoutForm({ looked, onChoice, onStart }: FormProps): ComponentChildren {
  const [dns, setDns] = useState(false);
  const { file, choice, opened, notes, isAsking, isEncoded } = looked;
  const { layout } = opened;
  const { names, rows } = previewOf(looked);
  const column =
    layout.kind === "jsonl" ? names.indexOf(layout.path?.[0] ?? "") : layout.kind === "csv" ? layout.column : -1;
  const start = (event: Event): void => {
    event.preventDefault();
    void onStart(dns);
  };
  return (
    <form class="card" onSubmit={start}>
      <h2>
        <bdi>{escapeInvisible(file.name)}</bdi> <small>{shownSize(file.size)}</small>
      </h2>
      <fieldset class="row">
        <legend>What it is</legend>
        {Object.entries(KINDS).map(([kind, title]) => (
          <Tick
            key={kind}
            type="radio"
            name="kind"
            checked={choice.kind === kind}
            onChange={() => onChoice({ kind: kind as Choice["kind"] })}
          >
            {title}
          </Tick>
        ))}
      </fieldset>
      {layout.kind === "csv" && <TableFields {...{ choice, layout, names, opened, isAsking, onChoice }} />}
      {layout.kind === "jsonl" && (
        <label>
          Key with the address
          <input
            value={isAsking ? "" : (choice.column ?? layout.path?.join(".") ?? "")}
            spellcheck={false}
            onChange={({ currentTarget }) => onChoice({ ...choice, column: currentTarget.value })}
          />
        </label>
      )}
      {(isEncoded || choice.encoding !== undefined) && (
        <label>
          It is not UTF-8: its encoding is
          <select
            value={choice.encoding ?? ""}
            onChange={({ currentTarget }) => {
              const { column, ...others } = choice;
              const encoding = currentTarget.value === "" ? undefined : currentTarget.value;
              onChoice({ ...others, column: isAsking ? undefined : column, encoding });
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
          {sentence(escapeInvisible(note))}
        </p>
      ))}
      <AskDns dns={dns} onChange={setDns}>
        Ask DNS about domains that no list knows; this takes longer
      </AskDns>
      <p>
        <button type="submit" class="main" disabled={isAsking}>
          Classify
        </button>
      </p>
    </form>
  );
}

interface FieldsProps extends Pick<FormProps, "onChoice">, Pick<OpenedFile, "choice" | "opened" | "isAsking"> {
  readonly layout: { readonly column: number; readonly delimiter: number };
  readonly names: readonly string[];
}

function TableFields({ choice, layout, names, opened, isAsking, onChoice }: FieldsProps): ComponentChildren {
  const { delimiter, skip = 0, noHeader = false, encoding } = choice;
  return (
    <>
      <div class="fields">
        <label>
          Column with the address
          <select
            value={isAsking ? "" : String(layout.column + 1)}
            onChange={({ currentTarget }) => onChoice({ ...choice, column: currentTarget.value })}
          >
            {isAsking && <option value="">choose one</option>}
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
              onChoice({ kind: "csv", skip, noHeader, encoding, delimiter: currentTarget.value.charCodeAt(0) })
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
              onChoice({
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
      <Tick
        type="checkbox"
        checked={opened.names !== undefined}
        // Where the first row has an address, it is not a header.
        disabled={opened.names === undefined && !noHeader}
        onChange={({ currentTarget }) =>
          onChoice({ kind: "csv", delimiter, skip, encoding, noHeader: !currentTarget.checked })
        }
      >
        The first row has the names of the columns
      </Tick>
    </>
  );
}
