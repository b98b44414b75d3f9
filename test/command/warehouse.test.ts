// Tests that a join with exported lists in PostgreSQL gives the verdicts of detect. DuckDB and ClickHouse: `npm run
// test:engines`.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readProjectFile } from "../helpers/documents.ts";
import { POSTGRES_PROGRAMS, type Postgres, pg, startPostgres } from "../helpers/postgres.mjs";
import { objectsOf, run, scratch } from "../helpers/run.ts";

const MAX_PER_KIND = 1000;

describe.skipIf(POSTGRES_PROGRAMS === undefined)("the example for PostgreSQL", () => {
  const files = scratch();
  const home = ["--home", `${files.path}/home`];
  let server: Postgres;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(async () => {
    await server.remove();
    files.remove();
  });

  it("the PostgreSQL warehouse example gives each domain the verdict of detect", async () => {
    await run(["lists", "allow", "mailinator.com", "--reason", "a partner", ...home]);
    await run(["lists", "deny", "fakes.example.com", "--reason", "fakes", ...home]);
    const [table, sql] = await Promise.all(
      ["ndjson", "sql"].map((format) => run(["lists", "export", "--format", format, ...home])),
    );
    const names = namesOf(objectsOf(table?.stdout as Buffer) as unknown as Entry[]);
    const fields = "syntax_validation,disposable,public_domain,relay_provider";
    const { stdout } = await run(["detect", "--domains", "--dns", "off", "--fields", fields, ...home], {
      stdin: names.join("\n"),
    });
    const expected = (objectsOf(stdout) as unknown as Verdict[])
      .filter(({ syntax_validation: valid }) => valid)
      .map(({ domain, disposable, public_domain, relay_provider = null }) => [
        domain,
        disposable,
        public_domain,
        relay_provider,
      ]);
    expect(expected.length).toBeGreaterThan(5 * MAX_PER_KIND);

    const client = new pg.Client({ connectionString: await server.create() });
    await client.connect();
    try {
      await client.query(`CREATE TABLE customers (email text)`);
      const emails = expected.map(([domain]) => `Jane@${domain}`);
      await client.query("INSERT INTO customers SELECT unnest($1::text[])", [emails]);
      await client.query(sql?.stdout.toString() as string);
      await client.query(readProjectFile("man/examples/warehouse-postgresql.sql"));
      const { rows } = await client.query({ text: "SELECT * FROM addrsift_domains", rowMode: "array" });
      expect(byDomain(rows)).toEqual(byDomain(expected));
    } finally {
      await client.end();
    }
  });
});

interface Entry {
  readonly entry: string;
  readonly class: string;
  readonly match_type: string;
}

interface Verdict {
  readonly domain: string;
  readonly syntax_validation: boolean;
  readonly disposable: boolean;
  readonly public_domain: boolean;
  readonly relay_provider?: string;
}

/** Returns a sample of entries of each kind, also with one and two labels before them. */
function namesOf(entries: readonly Entry[]): string[] {
  const kinds = new Map<string, string[]>();
  for (const { entry, class: name, match_type: type } of entries) {
    if (name === "role" || name === "tld") continue;
    const kind = `${name} ${type}`;
    const names = kinds.get(kind) ?? [];
    names.push(entry);
    kinds.set(kind, names);
  }
  const sample = [...kinds.values()].flatMap((all) =>
    all.filter((_, i) => i % Math.ceil(all.length / MAX_PER_KIND) === 0),
  );
  const names = [...sample, "example.com", "shop.co.uk"];
  return [...new Set(["", "a.", "b.a."].flatMap((prefix) => names.map((name) => prefix + name)))];
}

const byDomain = (rows: readonly unknown[][]): unknown[][] => rows.toSorted((a, b) => (`${a[0]}` < `${b[0]}` ? -1 : 1));
