// Tests the page's Channels view in a real browser: tokens of mails, and deliveries of a paused channel.

import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { hasChromium, openPage, startBrowser } from "../helpers/browser.ts";
import { makeKey, send, testDaemon } from "../helpers/daemon.ts";
import { startMailServer } from "../helpers/mail-server.ts";
import { startReceiver, status } from "../helpers/receiver.ts";

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
  return { ...opened, receiver, port, key, id };
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
    const at = await testDaemon(["--dns", "off"], { env });
    const { text: key } = await makeKey(at.home);
    const { page, close } = await openChannels(at.url, key);
    await page.getByLabel("Name").fill("ops");
    await page.getByLabel(/^Address/).fill("ops@gmial.com");
    await press(page, "Create the channel");
    await page.getByText(/^Not verified.*did you mean ops@gmail\.com\? Change it, or test/).waitFor();
    expect(mailServer.mails).toEqual([]);
    await press(page, "Email a link");
    await page.getByText("Open the link in the message to its address, or enter its token.").waitFor();
    const [mail] = await mailServer.waitForMails(1);
    const token = /[0-9a-f]{64}/.exec(mail?.message.text ?? "")?.[0];
    page.once("dialog", (dialog) => void dialog.accept(`http://127.0.0.1:1/verify/${token} `));
    const [tab] = await Promise.all([page.context().waitForEvent("page"), press(page, "Enter the token")]);
    await tab.getByRole("button", { name: "Confirm this address" }).click();
    await tab.getByText("The address is confirmed").first().waitFor();
    await page.evaluate("dispatchEvent(new Event('focus'))");
    await page.getByText("verified", { exact: true }).waitFor();
    await close();
    await mailServer.close();
  });

  it("the web UI shows a failed resend as a problem, and disables Resend while the channel is paused", async () => {
    const { page, receiver, close } = await openHook();
    const resend = page.getByRole("button", { name: /^Resend channel\.test msg_/ });
    await resend.click();
    await page.getByText("The event was delivered.").waitFor();
    receiver.answer = status(503);
    await resend.click();
    await page
      .locator(".problem", { hasText: "The event was not delivered again: the webhook answered 503." })
      .waitFor();
    expect(await page.getByText("failing since").count()).toBe(0);
    await press(page, "Pause");
    await expect.poll(() => resend.isDisabled()).toBe(true);
    await press(page, "Resume");
    await expect.poll(() => resend.isDisabled()).toBe(false);
    await close();
    await receiver.close();
  });

  it("the web UI shows a running delivery, clears old messages, and says that a channel was deleted elsewhere", async () => {
    const { page, receiver, port, key, id, close } = await openHook();
    await press(page, "Pause");
    await page.getByText("Paused.").waitFor();
    await press(page, "Refresh");
    await page.getByText("Paused.").waitFor({ state: "detached" });
    let finish = (): unknown => undefined;
    receiver.answer = (response) => {
      finish = () => response.end();
    };
    const sent = send(port, "POST", `${PATH}/${id}/test`, { key });
    await expect.poll(() => receiver.received.length).toBe(2);
    await press(page, "Refresh");
    await page.getByText("running", { exact: true }).waitFor();
    finish();
    await sent;
    await press(page, "Edit");
    await page.getByLabel("Name").fill("other");
    await send(port, "DELETE", `${PATH}/${id}`, { key });
    await press(page, "Save");
    await page.getByText("Deleted: hook").waitFor();
    expect(await page.locator("li > details").count()).toBe(0);
    await close();
    await receiver.close();
  });
});
