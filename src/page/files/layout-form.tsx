// The form that shows what the file seems to be, so that a person can correct it before it is sent.

import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { escapeInvisible } from "../../base/shown.ts";
import { useSession } from "../common/session.tsx";
import { shownSize } from "../common/text.ts";
import { type Beginning, guessColumn, type Layout, type Looked, recordsOf } from "./look.ts";

const DELIMITERS = [
  [",", "comma"],
  [";", "semicolon"],
  ["\t", "tab"],
  ["|", "bar"],
] as const;

interface FormProps {
  readonly looked: Looked;
  readonly guessed: Layout;
  readonly onStart: (layout: Layout, dns: boolean) => void;
}

export function LayoutForm({ looked, guessed, onStart }: FormProps): ComponentChildren {
  const { facts } = useSession();
  const [layout, setLayout] = useState(guessed);
  const [dns, setDns] = useState(false);
  const { file, beginning } = looked;
  const start = (event: Event): void => {
    event.preventDefault();
    onStart(layout, dns);
  };
  return (
    <form class="card" onSubmit={start}>
      <h2>
        <bdi>{escapeInvisible(file.name)}</bdi> <small>{shownSize(file.size)}</small>
      </h2>
      <fieldset class="row">
        <legend>What it is</legend>
        <label class="tick">
          <input
            type="radio"
            name="kind"
            checked={layout.kind === "lines"}
            onChange={() => setLayout({ kind: "lines" })}
          />{" "}
          One address a line
        </label>
        <label class="tick">
          <input
            type="radio"
            name="kind"
            checked={layout.kind === "csv"}
            onChange={() => setLayout(csvWith(beginning, commaOf(guessed)))}
          />{" "}
          A table (CSV)
        </label>
      </fieldset>
      {layout.kind === "csv" && <TableFields beginning={beginning} layout={layout} onLayout={setLayout} />}
      {facts.dns ? (
        <label class="tick">
          <input type="checkbox" checked={dns} onChange={({ currentTarget }) => setDns(currentTarget.checked)} /> Ask
          DNS about domains that no list knows; this takes longer
        </label>
      ) : (
        <p class="note">This daemon never asks DNS.</p>
      )}
      <p>
        <button type="submit" class="main">
          Classify
        </button>
      </p>
    </form>
  );
}

type CsvLayout = Extract<Layout, { kind: "csv" }>;

function commaOf(guessed: Layout): number {
  return guessed.kind === "csv" ? guessed.delimiter : ",".charCodeAt(0);
}

function csvWith(beginning: Beginning, delimiter: number, hasHeader = true): CsvLayout {
  return { kind: "csv", delimiter, hasHeader, column: guessColumn(beginning, delimiter, hasHeader) };
}

function TableFields({
  beginning,
  layout,
  onLayout,
}: {
  readonly beginning: Beginning;
  readonly layout: CsvLayout;
  readonly onLayout: (layout: CsvLayout) => void;
}): ComponentChildren {
  const records = recordsOf(beginning, layout.delimiter);
  const names = (records[0] ?? []).map((field, i) =>
    layout.hasHeader && field.trim() !== "" ? field.trim() : `Column ${i + 1}`,
  );
  const rows = layout.hasHeader ? records.slice(1) : records;
  return (
    <>
      <div class="fields">
        <div>
          <label for="column">Column with the address</label>
          <select
            id="column"
            value={String(layout.column)}
            onChange={({ currentTarget }) => onLayout({ ...layout, column: Number(currentTarget.value) })}
          >
            {names.map((name, i) => (
              <option key={i} value={String(i)}>
                {escapeInvisible(name).slice(0, 60)}
              </option>
            ))}
          </select>
        </div>
        <div>
          <label for="delimiter">Columns are separated by</label>
          <select
            id="delimiter"
            value={String.fromCharCode(layout.delimiter)}
            onChange={({ currentTarget }) =>
              onLayout(csvWith(beginning, currentTarget.value.charCodeAt(0), layout.hasHeader))
            }
          >
            {DELIMITERS.map(([char, name]) => (
              <option key={name} value={char}>
                {name}
              </option>
            ))}
          </select>
        </div>
      </div>
      <label class="tick">
        <input
          type="checkbox"
          checked={layout.hasHeader}
          onChange={({ currentTarget }) => onLayout(csvWith(beginning, layout.delimiter, currentTarget.checked))}
        />{" "}
        The first row has the names of the columns
      </label>
      <Preview names={names} rows={rows} column={layout.column} />
    </>
  );
}

function Preview({
  names,
  rows,
  column,
}: {
  readonly names: readonly string[];
  readonly rows: readonly (readonly string[])[];
  readonly column: number;
}): ComponentChildren {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so the keyboard must reach it
    <section class="wide" tabIndex={0} aria-label="First rows">
      <table>
        <thead>
          <tr>
            {names.map((name, i) => (
              <th key={i} scope="col" class={i === column ? "chosen" : undefined}>
                {escapeInvisible(name)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, i) => (
            <tr key={i}>
              {names.map((_, j) => (
                <td key={j} class={j === column ? "chosen" : undefined}>
                  {escapeInvisible(row[j] ?? "").slice(0, 80)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
