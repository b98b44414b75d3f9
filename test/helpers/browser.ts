// Opens the daemon's page in Chromium, and records requests to other hosts, violations of its content security policy,
// and errors.

import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { expect } from "vitest";

const EXECUTABLE_PATHS = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];
const executablePath: string | undefined = process.env["CHROMIUM"] ?? EXECUTABLE_PATHS.find((path) => existsSync(path));

// Read as text, because its types need those of a browser.
const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** Whether Chromium is installed. Tests that need it are skipped otherwise. */
export const hasChromium: boolean = executablePath !== undefined;

/** Starts Chromium. */
export function startBrowser(): Promise<Browser> {
  // The sandbox does not work for root or in many containers.
  return chromium.launch({ executablePath: executablePath as string, args: ["--no-sandbox"] });
}

/** A page whose requests and errors are recorded. */
export interface WatchedPage {
  readonly page: Page;
  /** All URLs that the page requested. */
  readonly requestedUrls: readonly string[];
  /** Expects no requests to other hosts, no errors and no stored data, and closes the page. */
  readonly close: () => Promise<void>;
}

/** Opens the page at a URL. */
export async function openPage(
  browser: Browser,
  url: string,
  options: BrowserContextOptions = {},
): Promise<WatchedPage> {
  const context = await browser.newContext(options);
  const page = await context.newPage();
  page.setDefaultTimeout(120_000);
  const requestedUrls: string[] = [];
  const errors: string[] = [];
  page.on("request", (request) => requestedUrls.push(request.url()));
  page.on("pageerror", (error) => errors.push(String(error)));
  // Violations of the content security policy are logged to the console.
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) errors.push(message.text());
  });
  await page.goto(url);
  return {
    page,
    requestedUrls,
    close: async () => {
      expect(
        requestedUrls.filter((requestedUrl) => !/^(data|blob):/.test(requestedUrl) && !requestedUrl.startsWith(url)),
      ).toEqual([]);
      // Chromium also logs the error responses that tests provoke.
      expect(errors.filter((text) => !text.startsWith("Failed to load resource"))).toEqual([]);
      const state = await context.storageState({ indexedDB: true });
      expect(state).toEqual({ cookies: [], origins: [] });
      await context.close();
    },
  };
}

/** Clicks a link that downloads a file. Returns the file's name and bytes. */
export async function download(page: Page, link: RegExp): Promise<{ readonly name: string; readonly bytes: Buffer }> {
  const click = page.getByRole("link", { name: link }).click();
  const [download] = await Promise.all([page.waitForEvent("download"), click]);
  return { name: download.suggestedFilename(), bytes: readFileSync(await download.path()) };
}

/** Returns the violations that axe finds, each with its element. */
export async function findAccessibilityProblems(page: Page): Promise<string[]> {
  await page.evaluate(AXE);
  const { violations } = (await page.evaluate("axe.run()")) as {
    violations: { id: string; nodes: { html: string; failureSummary: string }[] }[];
  };
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`),
  );
}
