// Tests --fields: the fields of rows, their order in each format, and that their values equal those of --explain.

import { expect, it } from "vitest";
import { FIELDS } from "../../../src/detection/fields.ts";
import { lists } from "../../helpers/classify.ts";
import { expectRefused, linesOf, objectsOf, outputOf, run } from "../../helpers/run.ts";

const ADDRESSES = [
  ..."Ada+x@Mail.mailinator.com jane@gmial.com a@gmail.com info@example.org x@duck.com noreply@harvard.edu".split(" "),
  ...["a@bücher.de", "x@joe.fastmail.com", "jane@gm\u0430il.com", "a b@c.org", "＠", ""],
];
/** The parts of the printed evidence that fields are derived from. */
interface Evidence {
  readonly syntax_error?: { readonly code: string };
  readonly matches?: readonly Readonly<Record<string, unknown>>[];
  readonly dns?: { readonly status: string };
  readonly canonicalization?: { readonly tag?: string };
  readonly [name: string]: unknown;
}
const STDIN = `${ADDRESSES.join("\n")}\n`;
const detect = (...args: string[]) => run(["detect", "--quiet", ...args], { stdin: STDIN });
const rowsOf = objectsOf<Record<string, unknown>>;

it("--fields returns values of the detection and the evidence, in the given order", async () => {
  const names = [...FIELDS].reverse();
  const [chosen, explained] = await Promise.all([
    detect("--fields", names.join(",")),
    detect("--explain", "--min-confidence", "single"),
  ]);
  const evidence = rowsOf(explained.stdout);
  const seen = new Set<string>();
  for (const [i, row] of rowsOf(chosen.stdout).entries()) {
    const { explain = {}, ...detection } = evidence[i] as { explain?: Evidence };
    const { syntax_error, suggestion, domain, registrable_domain, warnings, domain_kind, matches, dns } = explain;
    const deciding = matches?.find(({ flag }) => flag !== "role_address");
    const expected: Record<string, unknown> = {
      ...{ ...detection, suggestion, domain, registrable_domain, warnings, domain_kind },
      fault: ADDRESSES[i] === "" ? "empty" : syntax_error?.code,
      matched: deciding?.["entry"],
      confidence: deciding?.["confidence"],
      sources: deciding?.["sources"],
      dns_status: dns?.status,
      work: domain === undefined ? undefined : /[@](bücher.de|gm\u0430il.com)$/.test(ADDRESSES[i] as string),
      academic: domain === undefined ? undefined : domain_kind === "academic",
      no_reply: domain === undefined ? undefined : /^noreply@/.test(ADDRESSES[i] as string),
      classes: row["classes"],
      tag: explain.canonicalization?.tag,
      row: i + 1,
      data_version: lists.meta.dataVersion,
    };
    const present = names.filter((name) => expected[name] !== undefined);
    // Compare entries, because objects would be equal in any order.
    expect(Object.entries(row)).toEqual(["email", ...present].map((name) => [name, expected[name]]));
    for (const name of present) seen.add(name);
  }
  // These fields need DNS, or duplicate addresses.
  expect(names.filter((name) => !seen.has(name)).sort()).toEqual(["duplicate_of", "exchange", "mail_provider"]);
});

it.each(["blank", "mistyped", "public", "no_reply", "duplicate"])(
  "--fields classes names the class in exactly the rows that --select prints: %s",
  async (name) => {
    const stdin = `${STDIN}A@gmail.com\n`;
    const classes = async (...args: string[]): Promise<unknown[]> =>
      rowsOf(await outputOf(["detect", "--quiet", "--fields", "classes,duplicate_of", ...args], { stdin }));
    const selected = await classes("--select", name);
    expect(selected).not.toEqual([]);
    expect(selected).toEqual((await classes()).filter((row) => (row as { classes: string[] }).classes.includes(name)));
  },
);

it.each(["a\n", "\na@x.org\n"])("--format table prints all rows if the first has no fields: %j", async (stdin) => {
  const { status, stdout } = await run(["detect", "-f", "table", "--fields", "disposable"], { stdin });
  expect(status).toBe(0);
  expect(linesOf(stdout)).toHaveLength(1 + stdin.trimEnd().split("\n").length);
});

it("--fields adds columns to CSV, TSV and table output", async () => {
  const stdin = 'id,mail,x\r\n1,a+"b@c.org,y\r\n2,jane+t@gmial.com\r\n';
  const csv = await outputOf("detect --quiet --csv --fields suggestion,fault,row --prefix p_", { stdin });
  expect(csv.split("\r\n")).toEqual([
    "id,mail,x,p_suggestion,p_fault,p_row",
    '1,a+"b@c.org,y,,quoted_misplaced,2',
    "2,jane+t@gmial.com,,jane+t@gmail.com,,3",
    "",
  ]);
  const lines = await outputOf("detect -f tsv --fields tag,confidence jane+t@mailinator.com");
  expect(lines).toBe("email\ttag\tconfidence\njane+t@mailinator.com\tt\tconfirmed\n");
  const table = await outputOf("detect --offline -f table --fields domain_kind,disposable a@harvard.edu");
  expect(table).toMatch(/^ADDRESS {2,}DOMAIN KIND {2,}DISPOSABLE *\na@harvard\.edu {2,}academic {2,}false *\n$/);
});

it("--fields data_version adds the version of the lists to --tsv --part rows, and \\N for null addresses", async () => {
  const stdin = "a@gmail.com\t1\n\\N\t2\nx\t3\n";
  const { dataVersion } = lists.meta;
  expect(await outputOf("detect --quiet --part --tsv --column 1 --fields data_version", { stdin })).toBe(
    `a@gmail.com\t1\t${dataVersion}\n\\N\t2\t\\N\nx\t3\t${dataVersion}\n`,
  );
});

it("--fields classes,row: null addresses of TSV are blank, and have their row numbers", async () => {
  const stdin = "id\temail\tother\n1\t\\N\t\\N\n";
  const options = "detect --quiet --tsv --fields tag,classes,row";
  expect(linesOf(await outputOf(`${options} --column email`, { stdin }))[1]).toBe("1\t\\N\t\\N\t\\N\tblank\t2");
  const both = await outputOf(`${options} --column email --column other`, { stdin });
  expect(linesOf(both)[1]).toBe("1\t\\N\t\\N\t\\N\tblank\t2\t\\N\tblank\t2");
});

it.each([
  [
    "--fields email,tag",
    /--fields does not know "email": every row has its address already, so leave email out; for addresses alone use --format plain$/m,
  ],
  ["--fields falt", /--fields does not know "falt": did you mean fault\?/],
  ["--fields tag,tag", /--fields names tag twice/],
  ["--fields row --part", /--part and --fields row exclude each other/],
])("detect %s is rejected", async (options, message) => expectRefused(`detect ${options}`, message));

it.each([
  ["arguments", ["a@gmail.com", "--offline"]],
  ["rows", ["-f", "plain"]],
])("--data-version rejects lists of another version: detect with %s", async (_, args) => {
  const { dataVersion } = lists.meta;
  const same = await detect("--data-version", dataVersion, ...args);
  expect([same.status, same.stderr.toString()]).toEqual([0, ""]);
  await expectRefused(
    ["detect", "--data-version", "2020-01-01-00000000", ...args],
    `addrsift: --data-version is "2020-01-01-00000000", but the lists in use have version ${dataVersion}: use lists of the version that it names, or leave --data-version out\n`,
  );
});

it("--format table has the same values of --fields as CSV", async () => {
  const fields = "syntax_validation,normalized,subaddressing,public_domain,relay_provider,disposable,row,sources";
  const addresses = ["Jane.Doe+x@gmail.com", "a..b@gmail.com", "ada@duck.com", "a@mailinator.com"];
  const env = { COLUMNS: "1000" };
  const [table = "", csv = ""] = await Promise.all(
    ["table", "csv"].map((format) =>
      outputOf(`detect --offline -f ${format} --fields ${fields} ${addresses.join(" ")}`, { env }),
    ),
  );
  const valuesOf = (text: string, gap: RegExp) =>
    linesOf(text)
      .slice(1)
      .map((line) => line.split(gap).filter((value) => value !== ""));
  expect(valuesOf(table, / {2,}/)).toEqual(valuesOf(csv, /,/));
});
