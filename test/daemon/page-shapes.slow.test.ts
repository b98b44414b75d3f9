// Tests the page with real-world files: its output equals the command line's.

import { gzipSync } from "node:zlib";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { FILE_FIELDS } from "../../src/page/files/collect-rows.ts";
import { download, hasChromium, openPage, startBrowser, type WatchedPage } from "../helpers/browser.ts";
import { type Daemon, startDaemon } from "../helpers/daemon.ts";
import { run, scratch } from "../helpers/run.ts";

const ROWS = ["jane@gmail.com", "joe@mailinator.com", "jane..doe@gmail.com", "", "info@example.org"];
const table = (header: string, row: (email: string, i: number) => string): string =>
  [header, ...ROWS.map(row)].map((line) => `${line}\n`).join("");
const CSV = table("name,email", (email, i) => `Person ${i},${email}`);
const OBJECTS = ROWS.map((email, id) => ({ id, email, user: { email } }));
const JSON_LINES = OBJECTS.map((object) => `${JSON.stringify(object)}\n`).join("");
const WIDE = Array.from({ length: 299 }, (_, i) => `c${i}`).join(",");

/** Files, each with the options with which the command line has the same output as the page. */
const READABLE_FILES: readonly (readonly [name: string, content: string | Uint8Array, options: string])[] = [
  ["mailchimp.csv", table("Email Address,Last Name", (email, i) => `${email},"Doe, ${i}"`), "--csv"],
  ["google.csv", table("Name,E-mail 1 - Value,E-mail 2 - Value", (email) => `Jane,${email},`), "--csv"],
  ["two-columns.csv", table("Home Email,Work Email", (email) => `${email},jane@x.org`), "--csv --column 1"],
  ["separator.csv", `sep=;\r\n${CSV.replaceAll(",", ";")}`, "--csv"],
  ["tabs-utf16.csv", Buffer.from(`\ufeff${CSV.replaceAll(",", "\t")}`, "utf16le"), "--csv"],
  ["no-mark-utf16.csv", Buffer.from(CSV, "utf16le"), "--csv"],
  ["wide.csv", table(`${WIDE},email`, (email) => `${",".repeat(299)}${email}`), "--csv"],
  ["third-column.csv", ROWS.map((email, i) => `${i},x,${email}\n`).join(""), "--csv"],
  ["packed.csv.gz", gzipSync(CSV), "--csv"],
  ["tabs.tsv", CSV.replaceAll(",", "\t"), "--csv --delimiter tab"],
  ["line-breaks.csv", table("address,email", (email) => `"1 Road\nTown",${email}`), "--csv"],
  ["ragged.csv", table("name,email,x", (email, i) => `J,${email}${",1".repeat(i)}`), "--csv"],
  ["blank-at-end.csv", `${CSV}\n\n`, "--csv"],
  ["blank-lines.csv", CSV.replaceAll("\n", "\n\n"), "--csv"],
  ["crlf.csv", `${CSV.replaceAll("\n", "\r\n")}J,last@x.org`, "--csv"],
  ["quotes.csv", table("name,email", (email) => `"J ""x""","${email}"`), "--csv"],
  ["open-quote.csv", `${CSV}J "x,a@b.org\n"J" x,c@d.org\n`, "--csv"],
  ["crlf.jsonl", JSON_LINES.replaceAll("\n", "\r\n"), "--jsonl"],
  ["titles.csv", `Export of contacts 2026,\n\n"for, us",\n${CSV}J,JANE@gmail.com\n`, "--csv --skip 2"],
  ["again.csv", table("email,disposable", (email) => `${email},`), "--csv --prefix addrsift_"],
  ["several.csv", table("name,email", (email, i) => (i > 0 ? `J,${email}` : "J,a@x.org; joe@x.org")), "--csv"],
  ["latin1.csv", Buffer.from(`${CSV.replaceAll("Person", "J\xfcrgen")}J,jörg@web.de\n`, "latin1"), "--csv"],
  ["latin1.jsonl", Buffer.from(`${JSON_LINES.replaceAll("id", "M\xfcll")}${JSON_LINES}`, "latin1"), "--jsonl"],
  ["lines.jsonl", JSON_LINES, "--jsonl"],
  ["array.json", JSON.stringify(OBJECTS), "--jsonl"],
  ["pretty.json", JSON.stringify(OBJECTS, undefined, 2), "--jsonl"],
  ["objects.txt", OBJECTS.map((object) => JSON.stringify(object, undefined, 2)).join("\n"), "--jsonl"],
  ["nested.jsonl", '{"user":{"mail":"a@b.org"}}\n{"user":{"mail":"jo@"}}\n', "--jsonl"],
  ["packed.jsonl.gz", gzipSync(JSON_LINES), "--jsonl"],
];

const MORE_FILES: typeof READABLE_FILES = [
  ["latin1.txt", Buffer.from(`${ROWS.join("\n")}\nj\xfcrgen@x.org\n`, "latin1"), "--lines"],
  ["blank-lines.jsonl", JSON_LINES.replaceAll("\n", "\n\n"), "--jsonl"],
  ["list.txt", `\n${ROWS.join("\r\n")}\n\nlast@x.org`, "--lines"],
];

/** Files without a valid address, each with the message. */
const FILES_WITHOUT_ADDRESSES: readonly (readonly [name: string, content: string, message: RegExp])[] = [
  ["header-only.csv", "name,email\n", /^The file has no rows: is this the right file/],
  ["names.csv", "name,town\nJane,Bonn\nJoe,Kiel\n", /^None of 2 rows has a valid address: is this the right file/],
  ["nested.jsonl", '{"user":{"name":"Jo"}}\n{"user":{}}\n', /^None of 2 rows has a valid address/],
  ["words.txt", "Jane\nJoe\n", /^None of 2 rows/],
  ["random.txt", "\u0001\u0002\u0003\r\u0004\u0005", /^None of 1 row /],
];

const folder = scratch();
let browser: Browser;
let daemon: Daemon;
let watched: WatchedPage;

async function choose(
  name: string,
  content: string | Uint8Array,
): Promise<{ readonly page: Page; readonly path: string }> {
  const { page } = watched;
  const path = folder.file(name, content);
  await page.reload();
  await page.getByLabel("Choose a file").setInputFiles(path);
  return { page, path };
}

async function classify(page: Page): Promise<string> {
  const button = page.getByRole("button", { name: "Classify" });
  await button.waitFor();
  if ((await page.getByText("Choose the column or key").count()) > 0) {
    await button.click();
    const column = page.getByLabel("Column with the address");
    const key = page.getByLabel("Key with the address");
    // The browser focuses the field that has to be filled.
    const field = page.locator("*:focus");
    if ((await column.count()) > 0) await field.selectOption("1");
    else await field.fill("user.name").then(() => key.blur());
  }
  await button.click();
  const verdict = page.locator("main [role=status] > .verdict");
  await verdict.waitFor();
  return verdict.innerText();
}

describe.skipIf(!hasChromium)("files on the page", () => {
  beforeAll(async () => {
    [browser, daemon] = await Promise.all([startBrowser(), startDaemon(["--dns", "off"])]);
    watched = await openPage(browser, `${daemon.url}/`, { acceptDownloads: true });
    await watched.page.goto(`${daemon.url}/#files`);
  }, 120_000);
  afterAll(async () => {
    await watched?.close();
    await browser?.close();
    await daemon?.stop();
    folder.remove();
  });

  it.each(READABLE_FILES)("the web UI's output for %s equals the command line's", async (name, content, options) => {
    const { page, path } = await choose(name, content);
    expect(await classify(page)).toMatch(/^Done\. \d+ rows in /);
    const { bytes } = await download(page, /^Download all rows/);
    const fields = ["--fields", [...FILE_FIELDS, "duplicate_of"].join(",")];
    const { status, stdout } = await run(["detect", ...options.split(" "), ...fields, "--input", path]);
    expect(status).toBe(0);
    expect(bytes.toString("latin1")).toBe(stdout.toString("latin1"));
  });

  it.each([...READABLE_FILES, ...MORE_FILES])(
    "the web UI's clean list of %s equals the command line's plain output",
    async (...values) => {
      const [name, content, options] = values;
      const { page, path } = await choose(name, content);
      await classify(page);
      const { bytes } = await download(page, /^Download clean list/);
      const kept = "--format plain --select valid --reject disposable,mistyped,duplicate";
      const { status, stdout } = await run(["detect", ...options.split(" "), ...kept.split(" "), "--input", path]);
      expect([status, bytes.toString("latin1")]).toEqual([0, stdout.toString("latin1")]);
    },
  );

  it("the web UI reads addresses in windows-1252 at a click, and its downloads begin with a byte-order mark", async () => {
    const content = Buffer.from("Bücher;E-Mail\nMüller;info@bücher-müller.de\nJane;a@gmail.com\n", "latin1");
    const { page, path } = await choose("kunden.csv", content);
    await classify(page);
    await page.getByText("1 address not in UTF-8, treated as invalid").waitFor();
    await page.getByRole("button", { name: "Read as Western European (Windows) and run again" }).click();
    await page.getByText("A row can have several classes.").waitFor({ state: "hidden" });
    const { bytes } = await download(page, /^Download clean list/);
    const { stdout } = await run(["detect", "--csv", "--encoding", "windows-1252", "-f", "plain", "--input", path]);
    expect(bytes.toString()).toBe(`\ufeff${stdout}`);
    expect(stdout.toString()).toContain("info@bücher-müller.de");
    expect(await page.locator(".warn").count()).toBe(0);
  });

  it("the web UI does not offer to convert a file that starts in UTF-8", async () => {
    const content = Buffer.concat([Buffer.from("email\njörg@web.de\n"), Buffer.from("jürgen@x.org\n", "latin1")]);
    const { page } = await choose("mixed.csv", content);
    await classify(page);
    await page.getByText("1 address not in UTF-8, treated as invalid").waitFor();
    expect(await page.getByRole("button", { name: /^Read as/ }).count()).toBe(0);
  });

  it.each(FILES_WITHOUT_ADDRESSES)("the web UI does not report success for %s", async (name, content, message) => {
    const { page } = await choose(name, content);
    expect(await classify(page)).toMatch(message);
    expect(await page.getByText("Done.").count()).toBe(0);
  });

  it("the web UI rejects a zip archive in one line", async () => {
    const { page } = await choose("x.zip", `PK\u0003\u0004${"x".repeat(26)}list.txt`);
    const problem = page.locator("main .problem");
    const message = "x.zip can't be read: it is a zip archive: unpack it, then choose a file that was in it";
    expect(await problem.innerText()).toMatch(new RegExp(`^${message}[^\n]*\\.$`));
    expect(await page.getByRole("button", { name: "Classify" }).count()).toBe(0);
  });
});
