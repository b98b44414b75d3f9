// Tests the output files for CSV and JSON against a simple reference implementation, with responses of any size.

import fc from "fast-check";
import { expect, it } from "vitest";
import type { RowClass } from "../../../src/detection/classes.ts";
import { FILE_FIELDS, type OutputFile, RowCollector } from "../../../src/page/files/collect-rows.ts";
import { sampleSize } from "../../helpers/sampling.ts";

interface Row {
  readonly valid: boolean | "blank" | undefined;
  readonly disposable: boolean;
  readonly mistyped: boolean;
  readonly role: boolean;
  readonly name: string;
}

const rows = fc.array(
  fc.record<Row>({
    valid: fc.constantFrom(true, true, true, false, "blank" as const, undefined),
    disposable: fc.boolean(),
    mistyped: fc.boolean(),
    role: fc.boolean(),
    name: fc.constantFrom("a", "b", "c", "d", "e", "ü", '"b,c"'),
  }),
  { maxLength: 30 },
);

const classesOf = ({ valid, disposable, mistyped, role }: Row): string[] => {
  if (valid === undefined || valid === "blank") return valid === undefined ? [] : ["blank"];
  const typos = mistyped ? ["mistyped"] : [];
  if (!valid) return ["invalid", ...typos];
  return ["valid", ...(disposable ? ["disposable"] : []), ...typos, ...(role ? ["role"] : []), "unreserved"];
};
const fieldOf = (row: Row, field: string): string => {
  const { valid, disposable, name } = row;
  if (field === "classes") return classesOf(row).join("; ");
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
    const classes = { x_classes: row.valid === undefined ? null : classesOf(row) };
    return `${JSON.stringify({ i, name: `${row.name},}`, ...Object.fromEntries(fields), ...classes })}\n`;
  },
};

const rejectedClasses = fc.subarray<RowClass>(["disposable", "mistyped", "role", "duplicate"]);

const NO_HEADER = Buffer.alloc(0);
const NO_HEADERS = { rowsBefore: 1, header: NO_HEADER } as const;
const textOf = (file: OutputFile): Promise<string> => file.toBlob("", "text/csv").text();

it.each(["csv", "json"] as const)(
  "RowCollector splits %s rows into a clean list and removed rows, and finds duplicates",
  async (kind) => {
    await fc.assert(
      fc.asyncProperty(rows, fc.integer({ min: 1, max: 7 }), rejectedClasses, fc.boolean(), async (...values) => {
        const [all, size, rejected, keepsRows] = values;
        const texts = all.map(FORMATTERS[kind]);
        const kindFormat =
          kind === "json" ? ({ kind: "jsonl", prefix: "x_" } as const) : ({ kind, prefix: "" } as const);
        const unchangedHeader = keepsRows ? NO_HEADER : undefined;
        const format = { ...kindFormat, ...NO_HEADERS, delimiter: 0x2c, firstAddedColumn: 2, unchangedHeader };
        // The rows of the file: other line breaks, and none at the end of a chunk.
        const ownRows = all.map(({ name }, i) => `${i}${kind === "json" ? "" : `,"${name.length}\n"`}\r\n`);
        const collector = new RowCollector(format, rejected);
        for (let i = 0; i < texts.length; i += size) {
          const chunk = ownRows.slice(i, i + size).join("");
          collector.add(Buffer.from(texts.slice(i, i + size).join("")), Buffer.from(chunk.replace(/\r\n$/, "")));
        }
        const rowOfName = new Map<string, number>();
        const firsts = all.map(({ valid, name }, i) => {
          const first = valid === true ? rowOfName.get(name) : undefined;
          if (valid === true && first === undefined) rowOfName.set(name, i + 2);
          return first;
        });
        const reasons = all.map((row, i) => {
          if (row.valid === undefined || row.valid === "blank") return "blank";
          const rejectedClass = rejected.find((name) => classesOf(row).includes(name));
          if (!row.valid) return rejectedClass ?? "invalid: missing_at";
          const isRejectedDuplicate = firsts[i] !== undefined && rejected.includes("duplicate");
          return rejectedClass ?? (isRejectedDuplicate ? `duplicate of row ${firsts[i]}` : undefined);
        });
        const withField = (row: string, name: string, i: number, value: string | number | null | undefined): string => {
          const isDuplicate = firsts[i] !== undefined;
          if (kind === "csv") return row.replace(/\n$/, `${isDuplicate ? "; duplicate" : ""},${value ?? ""}\n`);
          const { x_classes: classes, ...others } = JSON.parse(row);
          const allClasses = isDuplicate ? [...classes, "duplicate"] : classes;
          return `${JSON.stringify({ ...others, x_classes: allClasses, [`x_${name}`]: value })}\n`;
        };
        // In JSON, an address that is null has null for each added key.
        const missing = kind === "json" ? null : undefined;
        const expected = {
          all: texts.map((row, i) =>
            withField(row, "duplicate_of", i, firsts[i] ?? (all[i]?.valid === true ? undefined : missing)),
          ),
          clean: texts.flatMap((text, i) => {
            if (reasons[i] !== undefined) return [];
            if (!keepsRows) return text;
            const isLast = (i + 1) % size === 0 || i === texts.length - 1;
            return isLast ? ownRows[i]?.replace("\r", "") : ownRows[i];
          }),
          removed: texts.flatMap((row, i) => (reasons[i] ? [withField(row, "removed_reason", i, reasons[i])] : [])),
        };
        const removedRows = new Map<string, number>();
        for (const reason of reasons) {
          const name = reason?.split(/[: ]/)[0];
          if (name !== undefined) removedRows.set(name, (removedRows.get(name) ?? 0) + 1);
        }
        expect(collector.removedRows).toEqual(removedRows);
        const repeats = reasons.flatMap((reason, i) => {
          const first = Number(/^duplicate of row (\d+)/.exec(reason ?? "")?.[1] ?? 0);
          return first > 0 && reasons[first - 2] !== undefined ? [i + 2] : [];
        });
        const { rows: dropped = 0, first: numbers = [] } = collector.warnings.byKind.get("repeats_dropped") ?? {};
        expect([dropped, numbers]).toEqual([repeats.length, repeats.slice(0, 5)]);
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
  const format = { kind: "csv", prefix: "p_", delimiter: 0x3b, firstAddedColumn: 1, rowsBefore: 1, header } as const;
  const collector = new RowCollector({ ...format, unchangedHeader: undefined }, ["duplicate"]);
  const row = `A@x.com;true;a@x.com${";".repeat(FILE_FIELDS.length - 2)}"valid; work`;
  collector.add(Buffer.from(`${row}";\r\n`), Buffer.from("A@x.com;\r\n"));
  collector.add(Buffer.from(`${row}";"surplus\n"\n`), Buffer.from('A@x.com;"surplus\n"\n'));
  expect(await textOf(collector.all)).toBe(
    `email;${added};p_duplicate_of;surplus\r\n${row}";;\r\n${row}; duplicate";2;"surplus\n"\n`,
  );
  expect(await textOf(collector.clean)).toBe(`email;${added};surplus\r\n${row}";\r\n`);
  expect(await textOf(collector.removed)).toBe(
    `email;${added};p_removed_reason;surplus\r\n${row}; duplicate";duplicate of row 2;"surplus\n"\n`,
  );
});
