// A clean list against the plain rule, for CSV and JSON, in parts of any size.

import fc from "fast-check";
import { expect, it } from "vitest";
import { CLEAN_FIELDS, FULL_FIELDS, RowCollector } from "../../../src/page/files/collect-rows.ts";
import { tries } from "../../helpers/tries.ts";

interface Row {
  readonly valid: boolean | undefined;
  readonly disposable: boolean;
  readonly name: string;
}

const rows = fc.array(
  fc.record<Row>({
    valid: fc.constantFrom(true, true, true, false, undefined),
    disposable: fc.boolean(),
    name: fc.constantFrom("a", "b", "c", "d", "e"),
  }),
  { maxLength: 30 },
);

const fieldOf = ({ valid, disposable, name }: Row, field: string): string => {
  if (valid === undefined) return "";
  if (field === "syntax_validation") return String(valid);
  if (!valid) return field === "fault" ? "missing_at" : "";
  return { normalized: `${name}@x.com`, disposable: String(disposable) }[field] ?? "";
};

const FORMS = {
  csv: (row: Row, i: number): string =>
    `${i},"${row.name}\n;",${CLEAN_FIELDS.map((name) => fieldOf(row, name)).join(",")}\n`,
  json: (row: Row, i: number): string => {
    const fields = CLEAN_FIELDS.map((name) => [`x_${name}`, fieldOf(row, name) || null]);
    return `${JSON.stringify({ i, name: `${row.name},}`, ...Object.fromEntries(fields) })}\n`;
  },
};

const NOTHING = Buffer.alloc(0);
const textOf = (blobs: Blob[]): Promise<string> => new Blob(blobs).text();

it.each(["csv", "json"] as const)("a clean list has each valid, not disposable mailbox once: %s", async (kind) => {
  await fc.assert(
    fc.asyncProperty(rows, fc.integer({ min: 1, max: 7 }), async (all, size) => {
      const texts = all.map(FORMS[kind]);
      const form = kind === "json" ? { isJson: true, prefix: "x_" } : { isJson: false, prefix: "" };
      const list = new RowCollector(
        { ...form, delimiter: 0x2c, firstAddedColumn: 2, rowsBefore: 1, header: NOTHING },
        "clean",
      );
      for (let i = 0; i < texts.length; i += size) list.add(Buffer.from(texts.slice(i, i + size).join("")));
      const first = new Map<string, number>();
      const reasons = all.map(({ valid, disposable, name }, i) => {
        if (valid === undefined) return "no address";
        if (!valid) return "invalid: missing_at";
        if (disposable) return "disposable";
        const there = first.get(name);
        if (there !== undefined) return `duplicate of row ${there + 2}`;
        first.set(name, i);
        return undefined;
      });
      expect(await textOf(list.rows)).toBe(texts.filter((_, i) => reasons[i] === undefined).join(""));
      const out = texts.flatMap((row, i) => {
        if (reasons[i] === undefined) return [];
        if (kind === "csv") return [row.replace(/\n$/, `,${reasons[i]}\n`)];
        return [`${JSON.stringify({ ...JSON.parse(row), taken_out: reasons[i] })}\n`];
      });
      expect(await textOf(list.removed)).toBe(out.join(""));
    }),
    { numRuns: tries(500) },
  );
});

it("the header of what was taken out has one more column", async () => {
  const added = CLEAN_FIELDS.join(";");
  const header = Buffer.from(`a;b;${added};surplus\r\n`);
  const list = new RowCollector(
    { isJson: false, prefix: "", delimiter: 0x3b, firstAddedColumn: 2, rowsBefore: 1, header },
    "clean",
  );
  expect(await textOf(list.removed)).toBe(`a;b;${added};taken_out;surplus\r\n`);
});

const ROW = ["true", "a@x.com", ...FULL_FIELDS.slice(2, -1).map(() => "")];
const full = async (rows: readonly string[]): Promise<string> => {
  const header = Buffer.from(`email,${FULL_FIELDS.join(",")}\r\n`);
  const list = new RowCollector(
    { isJson: false, prefix: "p_", delimiter: 0x2c, firstAddedColumn: 1, rowsBefore: 1, header },
    "all",
  );
  for (const row of rows) list.add(Buffer.from(row));
  return textOf(list.rows);
};

it("the whole list has a column for duplicates right after the added ones", async () => {
  const head = `email,${FULL_FIELDS.join(",")}`;
  const row = `A@x.com,${ROW.join(",")}`;
  expect(await full([`${row},\r\n`, `${row},a@y.com,"surplus\n"\n`])).toBe(
    `${head},p_duplicate_of\r\n${row},,\r\n${row},a@y.com,2,"surplus\n"\n`,
  );
});
