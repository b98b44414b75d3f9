// Tests the output files for CSV and JSON against a simple reference implementation, with responses of any size.

import fc from "fast-check";
import { expect, it } from "vitest";
import { FILE_FIELDS, type OutputFile, RowCollector } from "../../../src/page/files/collect-rows.ts";
import { sampleSize } from "../../helpers/sampling.ts";

interface Row {
  readonly valid: boolean | "blank" | undefined;
  readonly disposable: boolean;
  readonly name: string;
}

const rows = fc.array(
  fc.record<Row>({
    valid: fc.constantFrom(true, true, true, false, "blank" as const, undefined),
    disposable: fc.boolean(),
    name: fc.constantFrom("a", "b", "c", "d", "e", "ü", '"b,c"'),
  }),
  { maxLength: 30 },
);

const fieldOf = ({ valid, disposable, name }: Row, field: string): string => {
  if (valid === undefined) return "";
  if (field === "syntax_validation") return String(valid === true);
  if (valid !== true && field === "fault") return valid === "blank" ? "empty" : "missing_at";
  if (valid !== true) return "";
  return { normalized: `${name}@x.com`, disposable: String(disposable) }[field] ?? "";
};
const quoted = (text: string): string => (text.includes(",") ? `"${text.replaceAll('"', '""')}"` : text);

const FORMATTERS = {
  csv: (row: Row, i: number): string =>
    `${i},"${quoted(row.name).replaceAll('"', '""')}\n;",${FILE_FIELDS.map((name) => quoted(fieldOf(row, name))).join(",")}\n`,
  json: (row: Row, i: number): string => {
    const fields = FILE_FIELDS.map((name) => [`x_${name}`, fieldOf(row, name) || null]);
    return `${JSON.stringify({ i, name: `${row.name},}`, ...Object.fromEntries(fields) })}\n`;
  },
};

const NO_HEADER = Buffer.alloc(0);
const textOf = (file: OutputFile): Promise<string> => file.toBlob("", "text/csv").text();

it.each(["csv", "json"] as const)(
  "RowCollector splits %s rows into a clean list and removed rows, and finds duplicates",
  async (kind) => {
    await fc.assert(
      fc.asyncProperty(rows, fc.integer({ min: 1, max: 7 }), async (all, size) => {
        const texts = all.map(FORMATTERS[kind]);
        const kindFormat = kind === "json" ? { isJson: true, prefix: "x_" } : { isJson: false, prefix: "" };
        const format = { ...kindFormat, delimiter: 0x2c, firstAddedColumn: 2, rowsBefore: 1, header: NO_HEADER };
        const collector = new RowCollector(format, false);
        for (let i = 0; i < texts.length; i += size) collector.add(Buffer.from(texts.slice(i, i + size).join("")));
        const rowOfName = new Map<string, number>();
        const firsts = all.map(({ valid, name }, i) => {
          const first = valid === true ? rowOfName.get(name) : undefined;
          if (valid === true && first === undefined) rowOfName.set(name, i + 2);
          return first;
        });
        const reasons = all.map(({ valid, disposable }, i) => {
          if (valid === undefined || valid === "blank") return "no address";
          if (!valid) return "invalid: missing_at";
          if (disposable) return "disposable";
          return firsts[i] === undefined ? undefined : `duplicate of row ${firsts[i]}`;
        });
        const withField = (row: string, name: string, value: string | number | undefined): string => {
          if (kind === "csv") return row.replace(/\n$/, `,${value ?? ""}\n`);
          return `${JSON.stringify({ ...JSON.parse(row), [`x_${name}`]: value })}\n`;
        };
        const expected = {
          all: texts.map((row, i) => withField(row, "duplicate_of", firsts[i])),
          clean: texts.filter((_, i) => reasons[i] === undefined),
          removed: texts.flatMap((row, i) => (reasons[i] ? [withField(row, "removed_reason", reasons[i])] : [])),
        };
        for (const name of ["all", "clean", "removed"] as const) {
          expect(await textOf(collector[name])).toBe(expected[name].join(""));
          expect(collector[name].rows).toBe(expected[name].length);
        }
      }),
      { numRuns: sampleSize(500) },
    );
  },
);

it("RowCollector appends duplicate_of to all rows, and removed_reason to removed rows, after the added columns", async () => {
  const added = FILE_FIELDS.join(";");
  const header = Buffer.from(`email;${added};surplus\r\n`);
  const format = { isJson: false, prefix: "p_", delimiter: 0x3b, firstAddedColumn: 1, rowsBefore: 1, header };
  const collector = new RowCollector(format, false);
  const row = `A@x.com;true;a@x.com${";".repeat(FILE_FIELDS.length - 2)}`;
  collector.add(Buffer.from(`${row};\r\n`));
  collector.add(Buffer.from(`${row};a@y.com;"surplus\n"\n`));
  expect(await textOf(collector.all)).toBe(
    `email;${added};p_duplicate_of;surplus\r\n${row};;\r\n${row};2;a@y.com;"surplus\n"\n`,
  );
  expect(await textOf(collector.clean)).toBe(`email;${added};surplus\r\n${row};\r\n`);
  expect(await textOf(collector.removed)).toBe(
    `email;${added};p_removed_reason;surplus\r\n${row};duplicate of row 2;a@y.com;"surplus\n"\n`,
  );
});
