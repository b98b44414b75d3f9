// Tests `addrsift lists export --format`: a lookup in the exported table gives the verdicts of detect.

import { describe, expect, it } from "vitest";
import { linesOf, objectsOf, run, scratch } from "../helpers/run.ts";

interface Row {
  readonly entry: string;
  readonly class: string;
  readonly match_type: string;
  readonly provider?: string;
  readonly confidence?: string;
  readonly sources: readonly string[];
}

const DECIDING = ["relay", "public", "protected", "disposable"];

function parentsOf(domain: string): string[] {
  const labels = domain.split(".");
  return labels.slice(0, -1).map((_, i) => labels.slice(i).join("."));
}

/** Returns the verdict of the nearest entries; the nearest override takes precedence. */
function verdictOf(domain: string, table: ReadonlyMap<string, readonly Row[]>): object {
  const nearest = (classes: readonly string[]): readonly Row[] =>
    parentsOf(domain)
      .map((name) => (table.get(name) ?? []).filter((row) => classes.includes(row.class)))
      .find((rows) => rows.length > 0) ?? [];
  const rows = nearest(DECIDING).filter(({ entry, match_type }) => {
    const below = domain.split(".").length - entry.split(".").length;
    return below === 0 || match_type === "subdomains" || (match_type === "users" && below === 1);
  });
  const rowOf = (name: string): Row | undefined => rows.find((row) => row.class === name);
  const [override] = nearest(["allow", "deny"]);
  return {
    public_domain: rowOf("public") !== undefined,
    relay_domain: rowOf("relay") !== undefined,
    relay_provider: rowOf("relay")?.provider,
    disposable: override === undefined ? rowOf("disposable") !== undefined : override.class === "deny",
  };
}

describe("lists export as a table", () => {
  it("verdicts computed from the rows of lists export equal detect's verdicts, including overrides", async () => {
    const folder = scratch();
    const home = ["--home", folder.path];
    await run(["lists", "allow", ...home, "mailinator.com"]);
    await run(["lists", "deny", ...home, "example.org", "x.mailinator.com"]);
    const { status, stdout } = await run(["lists", "export", ...home, "--format", "ndjson"]);
    expect(status).toBe(0);
    const rows = linesOf(stdout).map((line) => JSON.parse(line) as Row);
    const table = groupByEntry(rows);
    const sample = DECIDING.flatMap((name) => {
      const classRows = rows.filter((row) => row.class === name);
      const step = Math.max(1, Math.floor(classRows.length / 250));
      return classRows.filter((_, i) => i % step === 0).map(({ entry }) => entry);
    });
    const special = ["mailinator.com", "a.x.mailinator.com", "www.example.org", "a.fastmail.com", "b.a.fastmail.com"];
    const unlisted = Array.from({ length: 200 }, (_, i) => `nobody-lists-${i}.de`);
    const domains = [...special, ...unlisted, ...sample, ...sample.map((name) => `sub.${name}`)];
    expect(domains.length).toBeGreaterThan(1800);
    const input = { stdin: domains.map((name) => `jane@${name}\n`).join("") };
    const detections = objectsOf((await run(["detect", ...home, "--dns", "off"], input)).stdout);
    const wrong = detections.flatMap((row, i) => {
      if (!row.syntax_validation) return [];
      const { public_domain, relay_domain, relay_provider, disposable } = row as unknown as Readonly<
        Record<string, unknown>
      >;
      const fields = JSON.stringify({ public_domain, relay_domain, relay_provider, disposable });
      const expected = JSON.stringify(verdictOf(domains[i] as string, table));
      return fields === expected ? [] : [{ domain: domains[i], fields, expected }];
    });
    expect(wrong).toEqual([]);
    expect(detections.filter((row) => row.syntax_validation).length).toBeGreaterThan(1800);
    folder.remove();
  });

  it("lists export prints as many rows in CSV and SQL as in NDJSON, and --class selects rows", async () => {
    const [csv, sql, ndjson, relays] = (await Promise.all(
      [["csv"], ["sql"], ["ndjson"], ["csv", "--class", "relay"]].map(async ([format, ...more]) => {
        const { stdout } = await run(["lists", "export", "--format", format as string, ...more]);
        return linesOf(stdout);
      }),
    )) as [string[], string[], string[], string[]];
    expect(csv[0]).toBe("entry,class,match_type,kind,provider,confidence,sources");
    expect(csv).toHaveLength(ndjson.length + 1);
    expect(sql.filter((line) => line.startsWith("('"))).toHaveLength(ndjson.length);
    const keys = ndjson.map((line) => JSON.parse(line) as Row).map((row) => `${row.entry} ${row.class}`);
    expect(new Set(keys).size).toBe(keys.length);
    expect(relays).toEqual(csv.filter((line, i) => i === 0 || line.split(",")[1] === "relay"));
    expect(relays).toContainEqual(expect.stringMatching(/^duck\.com,relay,exact,,duckduckgo,,addrsift relays\.tsv /));
  });
});

function groupByEntry(rows: readonly Row[]): Map<string, Row[]> {
  const table = new Map<string, Row[]>();
  for (const row of rows) table.set(row.entry, [...(table.get(row.entry) ?? []), row]);
  return table;
}
