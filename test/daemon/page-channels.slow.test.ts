// Tests the page's Channels view in a real browser: tokens of mails, and deliveries of a paused channel.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { hasChromium, openPage, startBrowser } from "../helpers/browser.ts";
import { makeKey, send, testDaemon } from "../helpers/daemon.ts";
import { storedChannel, storedDeliveries, writeRecords } from "../helpers/home-files.ts";
import { startMailServer } from "../helpers/mail-server.ts";
import { startReceiver, status } from "../helpers/receiver.ts";
import { run } from "../helpers/run.ts";

const PATH = "/api/v1/team/notifications/channels";

let browser: Browser;

async function openChannels(url: string, key: string) {
  const opened = await openPage(browser, `${url}/`);
  await opened.page.getByRole("link", { name: "Channels", exact: true }).click();
  await opened.page.getByLabel("API key").locator("visible=true").fill(key);
  await opened.page.keyboard.press("Enter");
  return opened;
}

/** Opens the deliveries of a webhook that was tested once. */
async function openHook() {
  const receiver = await startReceiver();
  const { home, port, url } = await testDaemon(["--dns", "off", "--allow-private", "127.0.0.0/8"]);
  const { text: key } = await makeKey(home);
  const body = { name: "hook", type: "webhook", config: { url: receiver.url } };
  const { id } = (await send(port, "POST", PATH, { key, body })).json as { id: string };
  await send(port, "POST", `${PATH}/${id}/test`, { key });
  const opened = await openChannels(url, key);
  await opened.page.locator("li > details > summary").click();
  const publish = () => run(["detect", "a@example.com", "--dns", "off", "--notify", id, "--home", home]);
  return { ...opened, receiver, port, key, id, publish };
}

const press = (page: Page, name: string): Promise<void> => page.getByRole("button", { name, exact: true }).click();

describe.skipIf(!hasChromium)("the page's Channels view in Chromium", () => {
  beforeAll(async () => {
    browser = await startBrowser();
  }, 60_000);
  afterAll(() => browser?.close());

  it("the web UI asks before a link is mailed to a mistyped address, and accepts the token of a mail", async () => {
    const mailServer = await startMailServer();
    const env = { ADDRSIFT_SMTP_URL: mailServer.url, ADDRSIFT_SMTP_FROM: "me@example.com" };
    const home = mkdtempSync(join(tmpdir(), "addrsift-home-"));
    onTestFinished(() => rmSync(home, { recursive: true }));
    const at = await testDaemon(["--dns", "off"], { home, env });
    const { text: key } = await makeKey(home);
    const { page, close } = await openChannels(at.url, key);
    await page.getByLabel("Name").fill("ops");
    await page.getByLabel(/^Address/).fill("ops@gmial.com");
    await press(page, "Create the channel");
    await page.getByText(/^Not verified.*did you mean ops@gmail\.com\? Change it, or email a link anyway/).waitFor();
    expect(mailServer.mails).toEqual([]);
    expect(await page.getByText("did you mean").count()).toBe(1);
    await press(page, "Email a link");
    await page.getByText(/Open the emailed link, or enter its token, until 20.* UTC\./).waitFor();
    const [mail] = await mailServer.waitForMails(1);
    const token = /[0-9a-f]{64}/.exec(mail?.message.text ?? "")?.[0];
    mailServer.refuse = () => 451;
    await press(page, "Email a link");
    await page.getByText(/The message could not be sent.* Tried at 20.* UTC\. Open the emailed link/).waitFor();
    mailServer.refuse = () => undefined;
    await page.getByLabel("Token or link").fill("no token");
    await press(page, "Verify");
    await page.locator(".problem", { hasText: "There is no such link or token" }).waitFor();
    const body = { name: "other", type: "email", config: { address: "ops@gmail.com" } };
    await send(at.port, "POST", PATH, { key, body });
    const [, other] = await mailServer.waitForMails(2);
    await page.getByLabel("Token or link").fill(/[0-9a-f]{64}/.exec(other?.message.text ?? "")?.[0] ?? "");
    await press(page, "Verify");
    await page.locator(".verdict .problem", { hasText: "This link or token is for another channel" }).waitFor();
    const { json } = await send(at.port, "GET", PATH, { key });
    expect((json["data"] as { is_verified: boolean }[]).map(({ is_verified }) => is_verified)).toEqual([false, false]);
    await page.getByLabel("Token or link").fill(`http://127.0.0.1:1/verify/${token} `);
    await press(page, "Verify");
    await page.getByText("The address is verified.").waitFor();
    await page.getByText("verified", { exact: true }).waitFor();
    // After the daemon's restart without mail settings, the refreshed list disables the type.
    const email = page.getByRole("option", { name: "Email", exact: true });
    await press(page, "New channel");
    expect(await email.isEnabled()).toBe(true);
    await at.stop();
    await testDaemon(["--dns", "off"], { home, port: at.port });
    await press(page, "Refresh the list");
    await expect.poll(() => email.isEnabled()).toBe(false);
    await close();
    await mailServer.close();
  });

  it("the web UI shows a failed resend as a problem, and disables Resend while the channel is paused", async () => {
    const { page, receiver, publish, close } = await openHook();
    const resend = page.getByRole("button", { name: /^Resend channel\.test msg_/ });
    await page.locator("li li summary").first().click();
    await resend.click();
    await page.getByText("The event was delivered.").waitFor();
    receiver.answer = status(503);
    await resend.click();
    await page
      .locator("li li .problem", { hasText: "The event was not delivered again: the webhook answered 503." })
      .waitFor();
    await page.locator(".chip", { hasText: "resend failed" }).waitFor();
    expect(await page.getByText("failing since").count()).toBe(0);
    await publish();
    await press(page, "Refresh");
    await page.locator("summary .chip", { hasText: "1 pending" }).waitFor();
    receiver.answer = status(204);
    await press(page, "Send a test");
    await page.getByText("The webhook accepted the test").waitFor();
    await press(page, "Pause");
    await expect.poll(() => resend.isDisabled()).toBe(true);
    await press(page, "Resume");
    await expect.poll(() => resend.isDisabled()).toBe(false);
    await close();
    await receiver.close();
  });

  it("the web UI says which response ended a channel's verification, and that a channel has no URL", async () => {
    const { page, receiver, port, key, id, close } = await openHook();
    receiver.answer = status(410);
    await press(page, "Send a test");
    await page.locator(".verdict", { hasText: /Last attempt: .*answered 410/ }).waitFor();
    await send(port, "PATCH", `${PATH}/${id}`, { key, body: { config: null } });
    await press(page, "Refresh the list");
    await page.locator(".verdict", { hasText: "It has no destination: edit it." }).waitFor();
    await close();
    await receiver.close();
  });

  it("the web UI filters deliveries by status, shows their labels, and resends failed events, the oldest first", async () => {
    const receiver = await startReceiver((response, _, count) => status(count === 2 ? 503 : 204)(response, _, count));
    const home = mkdtempSync(join(tmpdir(), "addrsift-home-"));
    onTestFinished(() => rmSync(home, { recursive: true }));
    const deliveries = Object.entries(storedDeliveries("msg_", "ch_1", 3)).map(([id, delivery], i) => {
      const { next_attempt_at: _, ...others } = delivery;
      const body = JSON.parse(delivery["body"] as string);
      const text = JSON.stringify({ ...body, text: `Run ${i}`, data: { ...body.data, label: `Import ${i}` } });
      return [id, { ...others, body: text, status: "failed", created_at: Number(delivery["created_at"]) + i }];
    });
    writeRecords(home, "deliveries.json", { deliveries: Object.fromEntries(deliveries) });
    const channels = ["ch_1", "ch_2"].map((id) => [id, storedChannel(id, receiver.url, { name: "same" })]);
    writeRecords(home, "store.json", { channels: Object.fromEntries(channels) });
    const { url } = await testDaemon(["--dns", "off", "--allow-private", "127.0.0.0/8"], { home });
    const { text: key } = await makeKey(home);
    const { page, close } = await openChannels(url, key);
    await page.locator("summary", { hasText: "same" }).nth(1).waitFor();
    await page.locator("li > details > summary").first().click();
    await page.getByText("Import 2 · Run 2", { exact: true }).waitFor();
    await press(page, "Resend 3 undelivered");
    await page
      .locator(".problem", {
        hasText: /^1 of 3 events delivered, 1 not tried after “Run 1” failed\. The event .* answered 503\.$/,
      })
      .waitFor();
    await press(page, "Failed 1");
    await page.getByText("Import 0 · Run 0", { exact: true }).waitFor({ state: "detached" });
    await press(page, "Resend 2 undelivered");
    await page.getByText("2 events were delivered.").waitFor();
    expect(receiver.received.slice(0, 3).map(({ body }) => JSON.parse(body).text)).toEqual(["Run 0", "Run 1", "Run 2"]);
    await press(page, "All 3");
    await page.locator("li li summary").first().click();
    await page.getByText(/delivered, HTTP\s204/).waitFor();
    await close();
    await receiver.close();
  });

  it("the web UI loads the list again while an address is not verified, but not the deliveries of unchanged channels", async () => {
    const home = mkdtempSync(join(tmpdir(), "addrsift-home-"));
    onTestFinished(() => rmSync(home, { recursive: true }));
    const url = "https://hooks.example.com/";
    const mail = storedChannel("ch_2", url, {
      type: "email",
      is_verified: false,
      config: { address: "a@example.com" },
    });
    writeRecords(home, "store.json", { channels: { ch_1: storedChannel("ch_1", url), ch_2: mail } });
    const daemon = await testDaemon(["--dns", "off"], { home });
    const { text: key } = await makeKey(home);
    const { page, close } = await openChannels(daemon.url, key);
    const paths: string[] = [];
    page.on("response", (response) => void paths.push(new URL(response.url()).pathname));
    await page.locator("li > details > summary").first().click();
    await page.getByText("None in the last 30 days.").waitFor();
    const countLists = () => paths.filter((path) => path === PATH).length;
    const deliveries = `${PATH}/ch_1/deliveries`;
    const first = countLists();
    await expect.poll(countLists, { timeout: 30_000 }).toBeGreaterThan(first + 1);
    // Opening the row loads them, and once more with the channel's latest facts.
    expect(paths.filter((path) => path === deliveries).length).toBeLessThanOrEqual(2);
    const response = page.waitForResponse((loaded) => loaded.url().endsWith(deliveries));
    await press(page, "Refresh");
    await response;
    await close();
  });

  it("the web UI shows a running delivery as pending, and says that a channel was deleted elsewhere", async () => {
    const { page, receiver, port, key, id, close } = await openHook();
    let finish = (): unknown => undefined;
    receiver.answer = (response) => {
      finish = () => response.end();
    };
    const sent = send(port, "POST", `${PATH}/${id}/test`, { key });
    await expect.poll(() => receiver.received.length).toBe(2);
    await press(page, "Refresh");
    await page.locator("li li .chip", { hasText: "pending" }).waitFor();
    finish();
    await sent;
    await press(page, "Edit");
    await page.getByLabel("Name").fill("other");
    await send(port, "DELETE", `${PATH}/${id}`, { key });
    await press(page, "Save");
    await page.locator(".problem", { hasText: "There is no such channel" }).waitFor();
    expect(await page.getByLabel("Name").inputValue()).toBe("other");
    await press(page, "Cancel");
    await page.getByText("Deleted: hook").waitFor();
    await press(page, "Refresh the list");
    await page.getByText("Deleted: hook").waitFor({ state: "detached" });
    expect(await page.locator("li > details").count()).toBe(0);
    await close();
    await receiver.close();
  });

  it("the web UI asks before a new secret is lost, and hides one that was replaced elsewhere", async () => {
    const { page, receiver, port, key, id, close } = await openHook();
    page.once("dialog", (dialog) => void dialog.accept());
    await press(page, "Rotate the secret");
    const secret = page.getByText(/^whsec_.{44}$/);
    await secret.waitFor();
    const question = page.waitForEvent("dialog");
    const forgotten = press(page, "Forget the key");
    await (await question).dismiss();
    await forgotten;
    await secret.waitFor();
    for (const config of [{ secret: null }, { revoke_previous: true }])
      await send(port, "PATCH", `${PATH}/${id}`, { key, body: { config } });
    await press(page, "Refresh the list");
    await secret.waitFor({ state: "detached" });
    await close();
    await receiver.close();
  });
});
