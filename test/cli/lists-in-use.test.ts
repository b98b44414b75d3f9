// Lists in the home take the place of the built-in ones for every command, and when they are damaged the built-in ones serve.

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { otherLists } from "../helpers/other-lists.ts";
import { linesOf, objectsOf, run, scratch } from "../helpers/run.ts";

const NEW = "new-throw-away.example.org";
const ADDRESS = `joe@${NEW}`;
const folder = scratch();
const fresh = join(folder.path, "fresh");
const cut = join(folder.path, "cut");
const flipped = join(folder.path, "flipped");
const foreign = join(folder.path, "foreign");

beforeAll(() => {
  const table = otherLists("2030-01-01-test", NEW);
  // Every bucket but the header is spoiled: only a look-up, or reading the whole, can notice.
  const spoiled = Uint8Array.from(table, (octet, i) => (i > 4096 ? octet ^ 1 : octet));
  const contents: [string, Uint8Array][] = [
    [fresh, table],
    [cut, table.subarray(0, table.length >> 1)],
    [flipped, spoiled],
    [foreign, new TextEncoder().encode("gmail.com\n")],
  ];
  for (const [home, octets] of contents) {
    mkdirSync(home);
    writeFileSync(join(home, "lists.bin"), octets);
  }
});
afterAll(() => folder.remove());

describe("lists in the home", () => {
  it("serve a one-off, bulk work, worker threads and a look into them", async () => {
    const home = ["--home", fresh];
    const one = await run(["detect", "--offline", ...home, ADDRESS]);
    expect(objectsOf(one.stdout)).toMatchObject([{ disposable: true }]);
    const bulk = await run(["detect", ...home], { stdin: `${ADDRESS}\n`.repeat(3) });
    expect(objectsOf(bulk.stdout).map(({ disposable }) => disposable)).toEqual([true, true, true]);
    const threads = await run(["detect", "--jobs", "2", ...home], { stdin: `${ADDRESS}\n`.repeat(3) });
    expect(threads.stdout.equals(bulk.stdout)).toBe(true);
    const table = await run(["detect", "--offline", "--explain", ...home, ADDRESS]);
    expect(objectsOf(table.stdout)).toMatchObject([{ explain: { data_version: "2030-01-01-test" } }]);
    expect((await run(["lists", "lookup", ...home, NEW])).stdout.toString()).toContain("disposable");
    expect(linesOf((await run(["lists", "export", "--class", "disposable", ...home])).stdout)).toContain(NEW);
    const status = JSON.parse((await run(["lists", "status", "--json", ...home])).stdout.toString()) as object;
    expect(status).toMatchObject({ data_version: "2030-01-01-test", origin: "home" });
    for (const { stderr } of [one, table]) expect(stderr.toString()).toBe("");
  });

  it("are found by the environment as well", async () => {
    const { stdout } = await run(["detect", "--offline", ADDRESS], { env: { ADDRSIFT_HOME: fresh } });
    expect(objectsOf(stdout)).toMatchObject([{ disposable: true }]);
  });

  it.each([
    ["cut off", cut],
    ["spoiled", flipped],
    ["foreign", foreign],
  ])("that are %s leave the built-in ones serving, with a warning", async (_, home) => {
    const lookedUp = await run(["detect", "--offline", "--home", home, "joe@mailinator.com", ADDRESS]);
    expect(lookedUp.status).toBe(0);
    expect(objectsOf(lookedUp.stdout).map(({ disposable }) => disposable)).toEqual([true, false]);
    expect(lookedUp.stderr.toString()).toMatch(/^addrsift: the lists in .*lists\.bin can't be used.*: .*\n$/);
    const bulk = await run(["detect", "--home", home], { stdin: `${ADDRESS}\n` });
    expect(objectsOf(bulk.stdout)).toMatchObject([{ disposable: false }]);
    expect(bulk.stderr.toString()).toContain("can't be used");
    const quiet = await run(["detect", "--offline", "--quiet", "--home", home, ADDRESS]);
    expect([quiet.status, quiet.stderr.toString()]).toEqual([0, ""]);
    const status = await run(["lists", "status", "--json", "--home", home]);
    expect(JSON.parse(status.stdout.toString())).toMatchObject({ origin: "built-in" });
    expect(status.stderr.toString()).toContain("can't be used");
  });
});
