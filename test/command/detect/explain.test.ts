// --explain: the evidence behind each verdict, in every format that has room for it.

import { describe, expect, it } from "vitest";
import { expectRefused, objectsOf, run } from "../../helpers/run.ts";

const ADDRESSES = ["Info+eu@sub.mailinator.com", "ada@gmial.com", "a😀 b@example.org", "ada＠example.org", ""];

describe.concurrent("--explain", () => {
  it("--explain has the evidence of a valid address", async () => {
    const { status, stdout, stderr } = await run(["detect", "--explain", ...ADDRESSES]);
    expect({ status, stderr: stderr.toString() }).toEqual({ status: 0, stderr: "" });
    const [disposable, misspelt] = objectsOf(stdout);
    expect(Object.keys(disposable ?? {}).at(-1)).toBe("explain");
    expect(disposable?.explain).toMatchObject({
      local_part: "Info+eu",
      domain: "sub.mailinator.com",
      domain_unicode: "sub.mailinator.com",
      registrable_domain: "mailinator.com",
      public_suffix: "com",
      smtputf8: false,
      canonicalization: { tag: "eu", rules: ["lower_case", "tag_removed"] },
      matches: [
        { flag: "role_address", entry: "info", kind: "role" },
        { flag: "disposable", entry: "mailinator.com", kind: "parent", sources: expect.any(Array) },
      ],
      dns: { status: "skipped" },
      data_version: expect.stringMatching(/^\d{4}-/),
    });
    expect(misspelt).toMatchObject({ normalized: "ada@gmial.com", explain: { suggestion: "ada@gmail.com" } });
  });

  it("--explain has the fault's offset in UTF-16 units", async () => {
    const { stdout } = await run(["detect", "--explain", "--json", ...ADDRESSES.slice(2, 4)]);
    const [spaced, lookalike] = objectsOf(stdout);
    expect(spaced?.explain).toMatchObject({
      syntax_error: { code: expect.stringMatching(/^[a-z0-9_]+$/), message: expect.any(String), offset: 3 },
    });
    expect(lookalike).toMatchObject({
      syntax_validation: false,
      explain: { syntax_error: { offset: 3, reference: expect.stringMatching(/RFC/) }, suggestion: "ada@example.org" },
    });
  });

  it("--explain changes no other field, in NDJSON and JSON, for arguments and lines", async () => {
    const stdin = ADDRESSES.slice(0, -1).join("\n");
    const [bare, explained, array] = await Promise.all([
      run(["detect"], { stdin }),
      run(["detect", "--explain"], { stdin }),
      run(["detect", "--explain", "--format", "json", ...ADDRESSES.slice(0, -1)]),
    ]);
    const rows = objectsOf(explained.stdout);
    expect(rows.map(({ explain, ...rest }) => rest)).toEqual(objectsOf(bare.stdout));
    expect(rows.every((row) => typeof row.explain === "object")).toBe(true);
    expect(JSON.parse(array.stdout.toString())).toEqual(rows);
  });

  it("--explain adds evidence to the table", async () => {
    const { status, stdout } = await run(["detect", "--explain", "-f", "table", ...ADDRESSES.slice(0, 2)], {
      env: { COLUMNS: "200" },
    });
    expect(status).toBe(0);
    expect(stdout.toString()).toMatch(/registrable domain mailinator\.com/);
    expect(stdout.toString()).toMatch(/did you mean ada@gmail\.com\?/);
    expect(stdout.toString()).toMatch(/data \d{4}-/);
  });

  it.each(["csv", "tsv", "plain"])("--explain and --format %s exclude each other", async (format) => {
    const line = new RegExp(`^addrsift: --explain [^\\n]*${format} [^\\n]*: [^\\n]*ndjson`);
    await expectRefused(`detect --explain --format ${format} ada@example.org`, line);
  });
});
