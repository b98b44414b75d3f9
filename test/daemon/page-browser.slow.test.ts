// Tests the page in a real browser: each view, light and dark, wide and narrow, with axe's rules for accessibility.

import { readFileSync } from "node:fs";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Scope } from "../../src/keys/scopes.ts";
import { FILE_FIELDS } from "../../src/page/files/collect-rows.ts";
import {
  download,
  findAccessibilityProblems,
  hasChromium,
  openPage,
  startBrowser,
  type WatchedPage,
} from "../helpers/browser.ts";
import { type Daemon, makeKey, send, startDaemon, testDaemon } from "../helpers/daemon.ts";
import { startMailServer } from "../helpers/mail-server.ts";
import { startNameServer } from "../helpers/name-server.ts";
import { startReceiver, status } from "../helpers/receiver.ts";
import { run, scratch } from "../helpers/run.ts";

// A browser starts in a second, or on a busy machine in many.
const START_MS = 60_000;
const ADDRESSES =
  "jane.doe+news@gmail.com joe@mailinator.com jane..doe@gmail.com jane@gmial.com info@example.org".split(" ");
const APPEARANCES: readonly (readonly [string, BrowserContextOptions])[] = [
  ["light, 1280 px", { viewport: { width: 1280, height: 900 }, colorScheme: "light" }],
  ["dark, 320 px", { viewport: { width: 320, height: 640 }, colorScheme: "dark" }],
  ["light, 320 px", { viewport: { width: 320, height: 640 }, colorScheme: "light" }],
  ["dark, 1280 px", { viewport: { width: 1280, height: 900 }, colorScheme: "dark" }],
];

const folder = scratch();
let browser: Browser | undefined;
let daemon: Daemon;

function start(...args: readonly string[]): Promise<Daemon> {
  return testDaemon(["--dns", "off", ...args]);
}

async function open(options: BrowserContextOptions = {}, at: Daemon = daemon): Promise<WatchedPage> {
  return openPage(browser as Browser, `${at.url}/`, options);
}

async function check(page: Page, text: string): Promise<void> {
  await page.getByLabel("Email addresses").fill(text);
  await page.getByRole("button", { name: "Check", exact: true }).click();
}

async function goTo(page: Page, view: string): Promise<void> {
  await page.getByRole("link", { name: view, exact: true }).click();
}

/** Opens the page, and a file in its Files view. */
async function openFile(name: string, content: string | Uint8Array, at: Daemon = daemon) {
  const opened = await open({ acceptDownloads: true }, at);
  await goTo(opened.page, "Files");
  return { ...opened, path: await choose(opened.page, name, content) };
}

async function choose(page: Page, name: string, content: string | Uint8Array): Promise<string> {
  const path = folder.file(name, content);
  await page.getByLabel(/^Choose (a|another) file$/).setInputFiles(path);
  return path;
}

async function press(page: Page, name: string): Promise<void> {
  await page.getByRole("button", { name }).click();
}

async function enterChannels(page: Page, key: string): Promise<void> {
  await goTo(page, "Channels");
  await page.getByLabel("API key").locator("visible=true").fill(key);
  await page.keyboard.press("Enter");
}

/** Presses a button, answers its question, and returns the question. */
async function answer(page: Page, name: string, accept: boolean): Promise<string> {
  const asked = page.waitForEvent("dialog");
  const pressed = press(page, name);
  const dialog = await asked;
  await (accept ? dialog.accept() : dialog.dismiss());
  await pressed;
  return dialog.message();
}

async function focusedText(page: Page): Promise<string> {
  return page.evaluate<string>("document.activeElement.textContent");
}

async function expectAccessible(page: Page): Promise<void> {
  expect(await findAccessibilityProblems(page)).toEqual([]);
  expect(await page.evaluate("document.documentElement.scrollWidth - innerWidth")).toBeLessThanOrEqual(0);
}

describe.skipIf(!hasChromium)("the page in Chromium", () => {
  beforeAll(async () => {
    [browser, daemon] = await Promise.all([startBrowser(), startDaemon(["--dns", "off"])]);
  }, START_MS);
  afterAll(async () => {
    await browser?.close();
    await daemon?.stop();
    folder.remove();
  });

  it.each(APPEARANCES)("no view of the web UI has axe violations or horizontal scrolling: %s", async (_, options) => {
    const { page, close } = await open(options);
    await expectAccessible(page);
    await check(page, ADDRESSES[2] as string);
    await page.getByText("Not clean: invalid.", { exact: true }).waitFor();
    await expectAccessible(page);
    await check(page, ADDRESSES.join("\n"));
    await press(page, "mistyped 1");
    expect(await page.locator("summary .address").allInnerTexts()).toEqual(["jane@gmial.com"]);
    await page.locator("summary .address").click();
    await page.getByText("Use it").waitFor();
    await expectAccessible(page);
    for (const view of ["Files", "Channels"]) {
      await goTo(page, view);
      await page.getByRole("heading", { level: 1 }).waitFor();
      await expectAccessible(page);
    }
    await page.getByText(/^The daemon's lists were built \d+ days? ago \(20..-..-..\)\./).waitFor();
    await close();
  });

  it("the web UI's Check view marks the fault, checks a suggestion, and shows the JSON result", async () => {
    const { page, close } = await open({ permissions: ["clipboard-read", "clipboard-write"] });
    await check(page, "jane..doe@gmail.com");
    expect(await page.locator("mark").innerText()).toBe(".");
    await check(page, "jane@gmial.com");
    await page.getByText("JSON", { exact: true }).click();
    const json = await page.getByRole("region", { name: "JSON" }).innerText();
    expect(JSON.parse(json)).toMatchObject({ email: "jane@gmial.com", explain: { suggestion: "jane@gmail.com" } });
    await press(page, "Use it");
    await page.getByText("Clean: public.", { exact: true }).waitFor();
    expect(await page.getByLabel("Email addresses").inputValue()).toBe("jane@gmail.com");
    expect(await page.evaluate("document.activeElement.getAttribute('aria-label')")).toBe("Result");
    // In a list, only the corrected address changes.
    await check(page, "Jane\tjane@gmail.com\nJane <jane@gmial.com>, info@example.org");
    await page.locator("summary .address").nth(1).click();
    await press(page, "Use it");
    await page.getByRole("heading", { name: "2 addresses" }).waitFor();
    expect(await page.locator("summary .address").allInnerTexts()).toEqual(["jane@gmail.com", "info@example.org"]);
    expect(await page.locator("li > details[open]").count()).toBe(0);
    expect(await page.getByLabel("Email addresses").inputValue()).toBe(
      "Jane\tjane@gmail.com\nJane <jane@gmail.com>, info@example.org",
    );
    await press(page, "Undo");
    await check(page, "J.ane@gmail.com\nann@gmail.com, jane@gmial.com");
    await page.locator("summary .address").nth(2).click();
    await press(page, "Use it");
    await page.locator("details[open] > summary:focus", { hasText: "public, duplicate" }).waitFor();
    await page.getByText("Corrected 1 address.").waitFor();
    await page.getByText("Corrected from", { exact: true }).waitFor();
    await page.locator("details[open]").getByRole("button", { name: "Copy the address" }).click();
    expect(await page.evaluate<string>("navigator.clipboard.readText()")).toBe("jane@gmail.com");
    await press(page, "duplicate 1");
    // In a table, only the email column is checked, and all suggestions can be applied at once.
    await check(page, "Name,Email,Notes\nAnn,ann@gmial.com,ask b@c.de\nBob,,\nEve,eve@hotmial.com,");
    await page.getByText("Not checked: 1", { exact: true }).click();
    expect(await page.getByRole("region", { name: "Not checked" }).innerText()).toBe("ask b@c.de");
    await page.getByText("Text without an address: 1", { exact: true }).click();
    expect(await page.getByRole("region", { name: "Text without an address" }).innerText()).toBe("Bob,,");
    await press(page, "Apply 2 suggestions");
    await page.getByRole("button", { name: "public 2" }).waitFor();
    expect(await page.getByLabel("Email addresses").inputValue()).toBe(
      "Name,Email,Notes\nAnn,ann@gmail.com,ask b@c.de\nBob,,\nEve,eve@hotmail.com,",
    );
    await press(page, "Undo");
    await page.getByRole("button", { name: "Apply 2 suggestions" }).waitFor();
    expect(await page.getByLabel("Email addresses").inputValue()).toContain("ann@gmial.com");
    expect(await page.getByRole("button", { name: "Undo" }).count()).toBe(0);
    await page.locator("textarea:focus").waitFor();
    await press(page, "Apply 2 suggestions");
    await page.getByRole("button", { name: "Undo" }).waitFor();
    await page.getByLabel("Email addresses").press("Control+z");
    expect(await page.getByLabel("Email addresses").inputValue()).toContain("ann@gmial.com");
    const longText = `${"a@x.com\n".repeat(700)}a@gmial.com`;
    await check(page, longText);
    await press(page, "Apply 1 suggestion");
    await page.getByRole("button", { name: "Undo" }).waitFor();
    await page.getByLabel("Email addresses").press("Control+z");
    expect(await page.getByLabel("Email addresses").inputValue()).toBe(longText);
    await check(page, "a@gmial.com\nb@x.com");
    await press(page, "Apply 1 suggestion");
    await page.getByRole("button", { name: "Undo" }).waitFor();
    await page.getByLabel("Email addresses").press("Control+End");
    await page.keyboard.type("!");
    await press(page, "Undo");
    expect(await page.getByLabel("Email addresses").inputValue()).toBe("a@gmial.com\nb@x.com!");
    expect(await page.getByRole("button", { name: "Undo" }).count()).toBe(0);
    // Undo goes back over several corrections.
    await check(page, "a@gmial.com\nb@hotmial.com");
    await page.locator("summary .address").nth(0).click();
    await press(page, "Use it");
    await page.getByRole("button", { name: "public 1" }).waitFor();
    await page.locator("summary .address").nth(1).click();
    await press(page, "Use it");
    await page.getByRole("button", { name: "public 2" }).waitFor();
    await press(page, "Undo");
    await page.getByRole("button", { name: "public 1" }).waitFor();
    await press(page, "Undo");
    await page.getByRole("button", { name: "mistyped 2" }).waitFor();
    expect(await page.getByLabel("Email addresses").inputValue()).toBe("a@gmial.com\nb@hotmial.com");
    await check(page, "a@gmail.com\nb@mailinator.com\nb@gmial.com");
    const changed = page.getByText("The text has changed since this check: check it again.");
    expect(await changed.count()).toBe(0);
    await page.getByLabel("Email addresses").press("End");
    await page.getByLabel("Email addresses").press("Space");
    await changed.waitFor();
    expect(await page.getByRole("button", { name: "Apply 1 suggestion" }).isDisabled()).toBe(true);
    await press(page, "clean 1");
    await page.getByText(/^Each mailbox once, /).waitFor();
    await page.getByRole("button", { name: "Copy 1 address" }).waitFor();
    await check(page, "jane@gm\u0430il.com");
    await page.getByText("It looks similar, but has letters of another script or accents.").waitFor();
    const { name } = await download(page, /^Download 1 as CSV$/);
    expect(name).toBe("address.csv");
    await check(page, "joe@mailinator.com\n".repeat(1000));
    await page.getByRole("button", { name: "Copy 1,000 addresses" }).waitFor();
    expect(await page.locator("li > details[open]").count()).toBe(0);
    await close();
  });

  it("the web UI's Check view shows how many addresses a check with DNS has finished", async () => {
    // Silent from the second request on.
    const names = await startNameServer(({ name }) => (Number(/\d+/.exec(name)) < 200 ? { rcode: 3 } : undefined));
    const { page, close } = await open({}, await testDaemon(["--dns", "on", "--dns-server", names.address]));
    await check(page, Array.from({ length: 450 }, (_, i) => `joe@unlisted-${i}.com`).join("\n"));
    await page.getByRole("button", { name: "Checking… 200 of 450" }).waitFor();
    await press(page, "Stop");
    await page.getByText("Stopped.").waitFor();
    await close();
    await names.stop();
  });

  it("the web UI's Check view scrolls to the results if they are below the window", async () => {
    const { page, close } = await open({ viewport: { width: 400, height: 640 }, reducedMotion: "reduce" });
    await check(page, "joe@mailinator.com\n".repeat(20));
    await page.waitForFunction(
      "document.querySelector('#results-title')?.getBoundingClientRect().top < innerHeight / 2",
    );
    await close();
  });

  it("the web UI's Check view can be used with the keyboard only", async () => {
    const { page, close } = await open();
    await page.getByRole("link", { name: "Channels", exact: true }).waitFor();
    await page.locator("textarea:focus").waitFor();
    await page.keyboard.type("joe@mailinator.com");
    await page.keyboard.press("Control+Enter");
    await page.getByText("Not clean: disposable.", { exact: true }).waitFor();
    // Skips the Check button. Without DNS, there is no checkbox.
    await page.keyboard.press("Tab");
    await page.keyboard.press("Tab");
    expect(await focusedText(page)).toBe("Copy the address");
    await page.keyboard.press("Tab");
    expect(await focusedText(page)).toBe("JSON");
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "Copy JSON" }).waitFor();
    await page.getByLabel("Email addresses").fill("");
    await page.keyboard.press("Control+Enter");
    await page.getByText("Nothing checked yet.").waitFor();
    expect(await page.getByText("Not clean: disposable.").count()).toBe(0);
    await close();
  });

  it("the web UI's Check view keeps the results and the filter if a later check fails, and exports what it shows", async () => {
    const stopped = await start();
    const { page, close } = await open({ permissions: ["clipboard-read", "clipboard-write"] }, stopped);
    await check(page, ADDRESSES.join("\n"));
    await page.getByRole("heading", { name: "5 addresses" }).waitFor();
    await press(page, "role 1");
    const { name, bytes } = await download(page, /^Download 1 as CSV$/);
    expect([name, bytes.toString()]).toEqual([
      "addresses-role.csv",
      expect.stringMatching(/^\ufeffemail,.*\ninfo@.*\n$/),
    ]);
    await press(page, "Copy 1 address");
    await page.getByText("Copied").waitFor();
    expect(await page.evaluate<string>("navigator.clipboard.readText()")).toBe("info@example.org");
    await press(page, "all 5");
    await page.getByLabel("Leave out 1 role address such as info@").check();
    await page.getByRole("heading", { name: "4 addresses of 5" }).waitFor();
    expect(await page.locator("summary .address").allInnerTexts()).not.toContain("info@example.org");
    const others = await download(page, /^Download 4 as CSV$/);
    expect(others.bytes.toString()).not.toContain("info@");
    await press(page, "role 1");
    await page.getByRole("button", { name: "Copy 1 address" }).waitFor();
    await press(page, "all 5");
    await page.getByLabel("Leave out 1 role address such as info@").uncheck();
    // On plain HTTP from another host, browsers have no navigator.clipboard.
    await page.evaluate("Object.defineProperty(navigator, 'clipboard', { value: undefined, configurable: true })");
    await press(page, "all 5");
    await press(page, "Copy 5 addresses");
    await page.getByText("Copied").waitFor();
    await page.evaluate("delete navigator.clipboard");
    expect(await page.evaluate<string>("navigator.clipboard.readText()")).toBe(ADDRESSES.join("\n"));
    await press(page, "role 1");
    await check(page, "a@b.com\n".repeat(1001));
    await page.getByText("more than 1,000 addresses").waitFor();
    await stopped.stop();
    await check(page, "a@b.com");
    await page.getByText("can't be reached: check that it is running, then try again. The results below are").waitFor();
    await page.getByRole("heading", { name: "1 address of 5" }).waitFor();
    await expectAccessible(page);
    await close();
  });

  it("in the web UI, a rejected key can be corrected, and keys stay in memory only", async () => {
    const at = await start("--public-url", "https://addr.example.com");
    const { text: key } = await makeKey(at.home);
    const { page, requestedUrls, close } = await open({}, at);
    await page.getByText("requires an API key").first().waitFor();
    await expectAccessible(page);
    await goTo(page, "Channels");
    await page.getByLabel("API key").locator("visible=true").fill("adsf_wrong");
    await page.getByLabel("API key").locator("visible=true").press("Enter");
    await page.getByText("(a key is adsf_ and 49 letters and digits).").locator("visible=true").waitFor();
    // The daemon accepts a few wrong keys only.
    expect(requestedUrls.filter((url) => url.endsWith("/channels"))).toHaveLength(1);
    const field = page.getByLabel("API key").locator("visible=true");
    expect(await field.inputValue()).toBe("adsf_wrong");
    // The field has the focus again.
    expect(await page.evaluate("document.activeElement.type")).toBe("password");
    const { text: otherKey } = await makeKey((await start()).home);
    await field.fill(otherKey);
    await page.keyboard.press("Enter");
    await page
      .getByText("check that it was created for this daemon, or create a new one.")
      .locator("visible=true")
      .waitFor();
    await field.fill(key);
    await page.keyboard.press("Enter");
    await goTo(page, "Check");
    await check(page, "joe@mailinator.com");
    await page.getByText("Not clean: disposable.", { exact: true }).waitFor();
    expect(requestedUrls.filter((url) => url.includes(key.slice(5)))).toEqual([]);
    const storedState =
      "JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie, history.state, location.href])";
    expect(await page.evaluate<string>(storedState)).not.toContain(key.slice(5));
    expect(await page.content()).not.toContain(key);
    await page.reload();
    await goTo(page, "Check");
    await page.getByText("requires an API key").first().waitFor();
    await close();
  });

  it("the web UI's Channels view creates, tests, rotates, pauses, edits and deletes a channel", async () => {
    const receiver = await startReceiver();
    const at = await start("--allow-private", "127.0.0.0/8");
    const { text: key } = await makeKey(at.home, { team: "growth" });
    const { page, close } = await open({}, at);
    await enterChannels(page, key);
    await page.getByText("No channels yet in the team growth").waitFor();
    // Without channels, the form is open.
    await page.getByLabel("Name").fill("<b>ops</b>");
    expect(await focusedText(page)).toBe("");
    // Without a mail server, the first type is a webhook.
    expect(await page.getByLabel("Type").inputValue()).toBe("webhook");
    expect(await page.getByRole("option", { name: "Email" }).isDisabled()).toBe(true);
    await page.getByText("for email channels, set ADDRSIFT_SMTP_URL and ADDRSIFT_SMTP_FROM").waitFor();
    await page.getByLabel("Type").selectOption("slack");
    await page.getByText("https://hooks.slack.com/services/...").waitFor();
    await page.getByLabel("URL").fill("not a url");
    const create = page.getByRole("button", { name: "Create the channel" });
    await create.click();
    // A problem is shown at its field, which gets the focus.
    const problemOf = (label: string) => page.locator("label", { hasText: label }).locator(".problem");
    expect(await problemOf("URL").innerText()).toMatch(/^Must be an http or https URL/);
    await expect.poll(() => page.evaluate<string>("document.activeElement.name")).toBe("url");
    for (const event of ["lists.updated", "lists.update_failed", "detection.completed"])
      await page.getByLabel(event).uncheck();
    await create.click();
    await page.locator("fieldset .problem", { hasText: "Select at least one." }).waitFor();
    for (const checkbox of await page.getByRole("checkbox").all()) await checkbox.check();
    expect(await page.getByText("Select at least one.").count()).toBe(0);
    await page.getByLabel("URL").fill("https://hooks.example.com/in");
    await create.click();
    await page.getByText("Must be an incoming webhook of Slack").waitFor();
    await page.getByLabel("Type").selectOption("webhook");
    await page.getByLabel("URL").fill(` ${receiver.url}/secret-path `);
    await page.getByLabel("Headers").fill("X-One 1");
    await create.click();
    await page.getByText('The line "X-One 1" is not NAME: VALUE.').waitFor();
    await page.getByLabel("Headers").fill("X-One: 1\nx-one: 2");
    await create.click();
    await page.getByText("x-one is given twice.").waitFor();
    await page.getByLabel("Headers").fill("X-One: 1\n\nX-Two:a:b");
    await create.click();
    // The form is closed, and the row of the new channel is open and focused.
    const row = page.locator("li > details");
    const secret = row.getByText(/^whsec_.{44}$/);
    await row.getByText("Test the channel to verify it.").waitFor();
    const created = await secret.innerText();
    expect(await focusedText(page)).toContain("<b>ops</b>");
    expect(await page.getByLabel("Name").count()).toBe(0);
    await page.getByText("1 channel of the team growth").waitFor();
    expect(await row.innerText()).not.toContain("secret-path");
    expect(await row.getByText(/^ch_/).innerText()).toMatch(/^ch_\w+$/);
    await row.getByText("X-One, X-Two").waitFor();
    await row.getByText("Not verified: events wait for up to three days.").waitFor();
    receiver.answer = status(500);
    await press(page, "Send a test");
    await row.locator(".problem", { hasText: "answered 500" }).waitFor();
    await row.locator("li summary", { hasText: /failed.*channel\.test.*the webhook answered 500/s }).click();
    await row.locator("li p", { hasText: /failed, HTTP 500, [\d,]+ ms: the webhook answered 500/ }).waitFor();
    // A failure keeps the secret, and so do the other views.
    expect(await secret.innerText()).toBe(created);
    await press(page, "New channel");
    await page.getByLabel("Name").fill("draft");
    await goTo(page, "Files");
    await goTo(page, "Channels");
    await secret.waitFor();
    expect(await secret.innerText()).toBe(created);
    expect(await page.getByLabel("Name").inputValue()).toBe("draft");
    await press(page, "Cancel");
    receiver.answer = status(204);
    await press(page, "Send a test");
    await page.getByText("verified", { exact: true }).waitFor();
    expect(receiver.received.at(-1)?.headers).toMatchObject({ "x-one": "1", "x-two": "a:b" });
    expect(await row.getByText("Not verified").count()).toBe(0);
    await row.locator("summary", { hasText: /delivered 20\d\d-/ }).waitFor();
    const delivered = row.locator("li", { hasText: /^delivered/ });
    await delivered.locator("summary").first().click();
    await delivered.getByText("Payload", { exact: true }).click();
    const payload = await delivered.getByRole("region", { name: "Payload" }).innerText();
    expect(JSON.parse(payload)).toEqual(JSON.parse(receiver.received.at(-1)?.body ?? ""));
    await press(page, "Done");
    expect(await secret.count()).toBe(0);
    expect(await focusedText(page)).toContain("<b>ops</b>");
    const question = "Rotate the secret of <b>ops</b>? Requests have both signatures for 24 hours.";
    expect(await answer(page, "Rotate the secret", false)).toBe(question);
    expect(await focusedText(page)).toBe("Rotate the secret");
    expect(await secret.count()).toBe(0);
    await answer(page, "Rotate the secret", true);
    await row.getByText("Rotated.").waitFor();
    expect(await secret.innerText()).not.toBe(created);
    await row.getByText(/^Signs requests until 20/).waitFor();
    const signatures = async (): Promise<number> => {
      await press(page, "Send a test");
      await row.getByText("accepted the test").waitFor();
      return String(receiver.received.at(-1)?.headers["webhook-signature"]).split(" ").length;
    };
    expect(await signatures()).toBe(2);
    await answer(page, "Revoke previous secrets", true);
    await row.getByText("Only the current secret signs requests now.").waitFor();
    expect(await signatures()).toBe(1);
    await press(page, "Pause");
    await page.getByText("paused", { exact: true }).waitFor();
    await page.getByText("Paused: new events are dropped.").waitFor();
    await press(page, "Resume");
    await page.getByText("Resumed.").waitFor();
    await page.getByText("paused", { exact: true }).waitFor({ state: "detached" });
    await press(page, "Edit");
    await expectAccessible(page);
    await press(page, "Cancel");
    expect(await focusedText(page)).toContain("<b>ops</b>");
    await press(page, "Edit");
    // An empty URL stays the same.
    expect(await row.getByLabel(/^URL/).inputValue()).toBe("");
    expect(await row.getByLabel(/^URL/).getAttribute("placeholder")).toBe(`${receiver.url}/[redacted]`);
    expect(await row.getByLabel("Headers").inputValue()).toBe("X-One: [redacted]\nX-Two: [redacted]");
    await row.getByLabel("Headers").fill("x-one: [redacted]\nX-Three: 3");
    await row.getByLabel("Name").fill("ops 2");
    expect(await row.getByLabel("channel.test").count()).toBe(0);
    await row.getByLabel("lists.updated").uncheck();
    await press(page, "Save");
    await row.locator("summary", { hasText: /ops 2.*detection.completed, lists.update_failed.*verified/s }).waitFor();
    expect([await focusedText(page), await row.getByLabel("Name").count()]).toEqual([
      expect.stringContaining("ops 2"),
      0,
    ]);
    await row.locator("li summary").first().click();
    const resend = row.getByRole("button", { name: /^Resend channel\.test msg_/ }).first();
    await resend.click();
    await page.getByText("The event was delivered.").waitFor();
    const { "x-one": one, "x-two": two, "x-three": three } = receiver.received.at(-1)?.headers ?? {};
    expect([one, two, three]).toEqual(["1", undefined, "3"]);
    receiver.answer = status(500);
    await resend.click();
    await row.locator("summary", { hasText: /delivered.*resend failed: the webhook answered 500/s }).waitFor();
    await row.getByText("The event was not delivered again: the webhook answered 500.").waitFor();
    await expectAccessible(page);
    await press(page, "Edit");
    const warning = row.getByText(/^After Save, the channel gets no events .*Another scheme, host or port/);
    expect(await warning.count()).toBe(0);
    await row.getByLabel(/^URL/).fill("https://other.example/in");
    await warning.waitFor();
    await press(page, "Save");
    await row.getByText("so the secret was replaced and any previous headers were removed").waitFor();
    await row.getByText("Headersnone").waitFor();
    const deletion = await answer(page, "Delete", true);
    expect(deletion).toBe("Delete the channel ops 2 and its deliveries permanently?");
    await page.getByText("No channels yet").waitFor();
    expect(await focusedText(page)).toContain("No channels yet");
    await close();
    await receiver.close();
  });

  it("the web UI opens one row at a time, and keeps a form that could not be saved", async () => {
    const mailServer = await startMailServer();
    const env = { ADDRSIFT_SMTP_URL: mailServer.url, ADDRSIFT_SMTP_FROM: "me@example.com" };
    const at = await testDaemon(["--dns", "off"], { env });
    const { text: key } = await makeKey(at.home);
    const { page, close } = await open({}, at);
    await enterChannels(page, key);
    for (const [name, address] of [
      ["ops", "one@example.org"],
      ["ops", "two@example.org"],
    ] as const) {
      await page.getByLabel("Name").fill(name);
      await page.getByLabel(/^Address/).fill(address);
      await press(page, "Create the channel");
      await page.locator("details[open]", { hasText: address }).waitFor();
      await page.getByText("Open the emailed link").locator("visible=true").waitFor();
      await press(page, "New channel");
    }
    expect(await page.locator("details[open]").count()).toBe(1);
    await press(page, "Cancel");
    expect(await focusedText(page)).toContain("2 channels of the team default");
    const second = page.locator("li", { hasText: "two@example.org" });
    await second.getByRole("button", { name: "Edit" }).click();
    await page.getByLabel("Name").fill("team");
    await at.stop();
    await press(page, "Save");
    await second.getByText("can't be reached").waitFor();
    expect(await page.getByLabel("Name").inputValue()).toBe("team");
    await close();
    await mailServer.close();
  });

  it("the web UI keeps what other windows changed, and says what was deleted or could not be mailed", async () => {
    const mailServer = await startMailServer();
    mailServer.refuse = (step) => (step === "recipient" ? 550 : undefined);
    const env = { ADDRSIFT_SMTP_URL: mailServer.url, ADDRSIFT_SMTP_FROM: "me@example.com" };
    const at = await testDaemon(["--dns", "off"], { env });
    const { text: key } = await makeKey(at.home);
    const path = "/api/v1/team/notifications/channels";
    const body = { name: "ops", type: "email", config: { address: "one@example.org" } };
    const { id } = (await send(at.port, "POST", path, { key, body })).json as { id: string };
    const { page, close } = await open({}, at);
    await enterChannels(page, key);
    await page.locator("li > details > summary").click();
    await page
      .getByText(
        /could not be sent, and is not retried: .* refused the recipient \(550\); it said: 550 .*Tried at 20.* UTC\./,
      )
      .waitFor();
    await press(page, "Edit");
    const events = ["lists.updated"];
    await send(at.port, "PATCH", `${path}/${id}`, { key, body: { config: { events } } });
    await page.getByLabel("Name").fill("ops 2");
    await press(page, "Save");
    await page.locator("summary", { hasText: /ops 2.*lists\.updated/s }).waitFor();
    const { json } = await send(at.port, "GET", `${path}/${id}`, { key });
    expect(json).toMatchObject({ name: "ops 2", config: { events } });
    await send(at.port, "DELETE", `${path}/${id}`, { key });
    await press(page, "Email a link");
    await page.getByText("Deleted: ops 2").waitFor();
    await close();
    await mailServer.close();
  });

  it("the web UI disables what the key's scopes do not allow, and accepts another key", async () => {
    const at = await start();
    const { text: key } = await makeKey(at.home);
    const body = { name: "ops", type: "webhook", config: { url: "https://hooks.example.com/in" } };
    const path = "/api/v1/team/notifications/channels";
    await send(at.port, "POST", path, { key, body });
    const { page, close } = await open({}, at);
    await goTo(page, "Channels");
    const enterKey = async (...scopes: Scope[]): Promise<void> => {
      const { text } = await makeKey(at.home, { scopes });
      await page.getByLabel("API key").locator("visible=true").fill(text);
      await page.keyboard.press("Enter");
    };
    await enterKey("emails:detect");
    await page.getByText("The API key lacks the scope notifications:read").waitFor();
    await page.getByText("Command that creates a key", { exact: true }).waitFor();
    await press(page, "Forget the key");
    await enterKey("notifications:read", "notifications:test");
    await page.getByText("The key lacks notifications:create, notifications:update, notifications:delete:").waitFor();
    await page.getByText("Command that creates a key", { exact: true }).click();
    await page.getByText("notifications:delete,notifications:test", { exact: false }).last().waitFor();
    await page.locator("li > details > summary").click();
    expect(await page.getByRole("button", { name: "Send a test" }).isEnabled()).toBe(true);
    for (const name of ["New channel", "Edit", "Pause", "Rotate the secret", "Delete"])
      expect(await page.getByRole("button", { name }).isDisabled()).toBe(true);
    expect(await page.getByTitle("The key lacks notifications:update.").count()).toBe(3);
    await expectAccessible(page);
    await close();
  });

  describe("a file", () => {
    const rows = Array.from({ length: 40_000 }, (_, i) => {
      const place = i % 7 === 0 ? '"Bad\nHomburg"' : "Berlin";
      return `${i};${place};${ADDRESSES[i % ADDRESSES.length]}\r\n`;
    });
    const files = [
      ["customers.csv", `\ufeffid;city;E-Mail\r\n${rows.join("")}`],
      ["no-header.csv", rows.join("")],
      ["list.txt", `${ADDRESSES.join("\n")}\n\n`.repeat(10_000)],
    ] as const;

    it.each(files)("the web UI's output and counts for %s equal the command line's", async (name, content) => {
      const { page, path, close } = await openFile(name, content);
      await page.getByText("This daemon makes no DNS lookups.").locator("visible=true").waitFor();
      await press(page, "Classify");
      await page.getByText("Done.").waitFor();
      const { name: fileName, bytes } = await download(page, /^Download all rows/);
      expect(fileName).toBe(`${name.replace(/\..*/, "")}-classified.csv`);
      const [summaryFile, report] = [`${path}.json`, `${path}.html`];
      await page.locator("summary", { hasText: "Command line for all rows and a report" }).click();
      const command = await page.getByRole("region", { name: "Command line for all rows" }).innerText();
      expect(command).toContain(",suggestion,classes,duplicate_of ");
      const words = command.replace(/--report \S+/, `--report ${report}`).replace(/--input .*/s, `--input ${path}`);
      const { stdout } = await run([...words.split(" ").slice(1), "--summary-file", summaryFile]);
      expect(readFileSync(report, "utf8")).toContain(`<h1>Email addresses in ${path}`);
      expect(bytes.length).toBe(stdout.length);
      expect(bytes.equals(stdout)).toBe(true);
      const bars = page.locator(".bars li");
      const counts = await bars.locator(".number").allInnerTexts();
      const meanings = await bars.locator("span:first-child small").allInnerTexts();
      const names = (await bars.locator("span:first-child").allInnerTexts()).map((text, i) =>
        text
          .replace(meanings[i] ?? "", "")
          .trim()
          .replaceAll(" ", "_"),
      );
      const shown = Object.fromEntries(names.map((name, i) => [name, counts[i] as string]));
      const { classes } = JSON.parse(readFileSync(summaryFile, "utf8"));
      for (const [name, bar] of Object.entries<string>(shown))
        expect([name, Number.parseInt(bar.replaceAll(",", ""), 10)]).toEqual([name, classes[name]]);
      expect(Object.keys(shown).length).toBe(Object.values(classes).filter((count) => count !== 0).length - 1);
      await expectAccessible(page);
      await close();
    });

    it("the web UI skips titles and reports irregular rows", async () => {
      const content = `Title\n\nemail,n\n${ADDRESSES.map((email) => `${email},1\n`).join("")}a@b.org; c@d.org,2\n`;
      const { page, close } = await openFile("some.csv", content);
      await page.getByText("Row 3 looks like the header, so “Rows to skip” is 1 (without blank rows).").waitFor();
      const skip = page.getByLabel("Rows to skip");
      expect(await skip.inputValue()).toBe("1");
      await skip.fill("2");
      await skip.blur();
      // The form keeps what was typed, without a preview of other settings, until it is right.
      await page.getByText("2 in “Rows to skip” skips the header: use 1 in “Rows to skip”.").waitFor();
      expect([await skip.inputValue(), await page.getByRole("table").count()]).toEqual(["2", 0]);
      await press(page, "Classify");
      await expectAccessible(page);
      await skip.fill("1");
      await skip.blur();
      await page.getByRole("table").waitFor();
      expect(await page.locator(".problem").count()).toBe(0);
      await press(page, "Classify");
      await page
        .getByText(
          "1 line or cell with several addresses, treated as invalid: addrsift-detect(1) has a command that splits them into rows (row 9).",
        )
        .waitFor();
      await expectAccessible(page);
      await close();
    });

    it("the web UI returns the clean list without the chosen classes, and the removed rows", async () => {
      const rows = ADDRESSES.flatMap((email, i) => [
        `${i};${email}`,
        `${i};x@mailinator.com`,
        `${i};bad@@x`,
        `${i};x@gmail.con`,
        `${i};`,
      ]);
      const { page, path, close } = await openFile("all.csv", `id;email\n${rows.join("\n")}\n`);
      const downloadText = async (name: RegExp): Promise<string> => (await download(page, name)).bytes.toString();
      const expectOutputs = async (rejected: string, options: readonly string[]): Promise<void> => {
        await press(page, "Classify");
        const verdict = await page.locator("[role=status] > .verdict.warn").innerText();
        const command = ["detect", "--csv", "--input", path, ...options, "--select", "valid", "--reject", rejected];
        const clean = await run(command);
        expect(await downloadText(/^Download clean list/)).toBe(clean.stdout.toString());
        const removed = (await downloadText(/^Download removed rows/)).trimEnd().split("\n");
        expect(removed[0]).toMatch(/;classes;removed_reason$/);
        expect(removed.filter((row) => row.endsWith(";blank"))).toHaveLength(ADDRESSES.length);
        const shown = verdict.slice(verdict.lastIndexOf(":")).matchAll(/(\d+) (\w+)/g);
        const reasons = removed.slice(1).map((row) => /;(\w+)[^;]*$/.exec(row)?.[1]);
        for (const [, count, name] of shown)
          expect([name, reasons.filter((reason) => reason === name).length]).toEqual([name, Number(count)]);
        expect(removed).toHaveLength(1 + rows.length - (clean.stdout.toString().split("\n").length - 2));
        await press(page, "Change settings");
      };
      await expectOutputs("disposable,mistyped,duplicate", ["--format", "plain"]);
      await page.getByLabel("Add the classification").check();
      await page.getByLabel("duplicate").uncheck();
      await page.getByLabel("mistyped").uncheck();
      await page.getByLabel("reserved").check();
      await expectOutputs("disposable,reserved", ["--fields", FILE_FIELDS.join(",")]);
      await expectAccessible(page);
      await close();
    });

    it("the web UI rejects domains without mail by default if DNS lookups are turned on after a run", async () => {
      const { page, close } = await openFile("dns.txt", "a@gmail.com\n", await testDaemon(["--dns", "on"]));
      await press(page, "Classify");
      await page.getByText("Done.").waitFor();
      await press(page, "Change settings");
      await page.getByLabel("Look up unlisted domains in DNS").locator("visible=true").check();
      expect(await page.getByLabel("no mail").isChecked()).toBe(true);
      await close();
    });

    it("the web UI reads a file in a chosen format, or rejects it with the reason", async () => {
      const broken = `${'{"a":1,"user":{"at":"-"}}\n'.repeat(100)}{"user":{"at":"a@b.com"}}\n`;
      const { page, close } = await openFile("broken.jsonl", broken);
      await page.getByText("No key looks like email.").waitFor();
      await page.getByLabel("Key with the address").fill("user.at");
      await page.getByLabel("Key with the address").blur();
      await page.getByText("No key looks like email.").waitFor({ state: "hidden" });
      await page.getByLabel("Format").selectOption("CSV");
      await page.locator("form .problem").waitFor();
      expect(await page.getByLabel("Format").inputValue()).toBe("csv");
      await press(page, "Classify");
      await page.getByLabel("Format").selectOption("JSON");
      await page.getByLabel("Key with the address").fill("user.at");
      await press(page, "Classify");
      await page.getByText("Done.").waitFor();
      page.once("dialog", (dialog) => void dialog.accept());
      await press(page, "Choose another file");
      await choose(page, "broken.csv", 'a,email\n1,a@b.com\n"2,c@d.com\n');
      await page.getByLabel("Rows to skip").fill("7");
      await page.getByLabel("Rows to skip").blur();
      await page.getByText("The CSV is empty").waitFor();
      await page.getByLabel("Rows to skip").fill("0");
      await press(page, "Classify");
      await page.getByText("Stopped at row 3: it opens a quote that never closes").waitFor();
      expect(await page.locator(".main").locator("visible=true").allInnerTexts()).toEqual(["Choose another file"]);
      await press(page, "Change settings");
      expect(await page.getByLabel("Column with the address").inputValue()).toBe("2");
      await choose(page, "none.csv", "id,name\n1,Jane\n");
      await page.getByText("Choose the column or key with the address").waitFor();
      expect(await page.locator(".highlighted").count()).toBe(0);
      await choose(page, "latin.csv", Buffer.from("name,email\nJ\u00fcrgen,j@gmail.com\n", "latin1"));
      await page
        .getByText("The file is not in UTF-8: choose its encoding if addresses have letters such as é.")
        .waitFor();
      await page.getByRole("cell", { name: "J\u00fcrgen" }).waitFor();
      await page.getByLabel("Encoding").selectOption("Cyrillic");
      await page.getByRole("cell", { name: "J\u044crgen" }).waitFor();
      await expectAccessible(page);
      await close();
    });

    it("the web UI asks before it discards results of which none was downloaded", async () => {
      const { page, close } = await openFile("named.csv", "email\nJane <jane@example.org>\na@gmail.com\n");
      await press(page, "Classify");
      await page.getByText("Done.").waitFor();
      await page.getByText("treated as invalid: suggestion in the downloads has the address alone").waitFor();
      const questions: string[] = [];
      page.on("dialog", (dialog) => {
        questions.push(dialog.message());
        void dialog.dismiss();
      });
      await press(page, "Choose another file");
      expect(questions).toEqual(["Discard this run and its results?"]);
      expect(await download(page, /^Download removed rows/)).toMatchObject({ name: "named-removed.csv" });
      await press(page, "Change settings");
      await page.getByText("duplicate (rows after the first)").waitFor();
      await press(page, "Classify");
      await page.getByText("Done.").waitFor();
      await press(page, "Choose another file");
      expect(questions).toHaveLength(2);
      await download(page, /^Download clean list/);
      await press(page, "Choose another file");
      await page.getByText("Choose a file", { exact: true }).waitFor();
      await close();
    });

    it("the web UI says that the daemon does not answer, and classifies the file again", async () => {
      const { page, close } = await openFile("again.csv", "email\na@gmail.com\n");
      await page.route("**/emails/stream*", (route) => route.abort());
      await press(page, "Classify");
      await page.getByText("The daemon does not answer: retrying.").waitFor();
      await page.getByText("Stopped after 0 rows: The daemon can't be reached").waitFor();
      await page.unroute("**/emails/stream*");
      await press(page, "Try again");
      await page.getByText("Done.").waitFor();
      await close();
    });

    it("the web UI's Stop button ends the run and leaves no download, and another file can be dropped", async () => {
      const { page, path, close } = await openFile("long.txt", `${ADDRESSES.join("\n")}\n`.repeat(150_000));
      await press(page, "Classify");
      await press(page, "Stop");
      await page.getByText(/^Stopped after [\d,]+ rows?: try again/).waitFor();
      expect(await page.getByRole("link", { name: /^Download/ }).count()).toBe(0);
      const devTools = await page.context().newCDPSession(page);
      const drop = async (...files: string[]): Promise<void> => {
        for (const type of ["dragEnter", "dragOver", "drop"] as const)
          await devTools.send("Input.dispatchDragEvent", {
            ...{ type, x: 1, y: 1 },
            data: { items: [], files, dragOperationsMask: 1 },
          });
      };
      await drop(path, path);
      await page.getByText("Choose one file at a time.").waitFor();
      page.once("dialog", (dialog) => void dialog.accept());
      await drop(path);
      await page.getByRole("button", { name: "Classify" }).waitFor();
      await page.getByTitle("shared inbox such as info@").first().waitFor();
      await drop(folder.path);
      await page.getByText("was changed or removed, or is a folder: choose again.").waitFor();
      await close();
    });
  });
});
