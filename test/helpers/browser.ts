// Chromium over the daemon's page. It notes requests to other hosts, violations of the page's policy, and errors.

import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { expect } from "vitest";

const EXECUTABLE_PATHS = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];
const executablePath: string | undefined = process.env["CHROMIUM"] ?? EXECUTABLE_PATHS.find((path) => existsSync(path));

// As text, because its types are those of a browser.
const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** Whether there is one; tests that need it are skipped by name. */
export const hasChromium: boolean = executablePath !== undefined;

/** Starts it. */
export function startBrowser(): Promise<Browser> {
  // Its sandbox does not work for root, nor in many containers.
  return chromium.launch({ executablePath: executablePath as string, args: ["--no-sandbox"] });
}

/** A page that is looked after. */
export interface WatchedPage {
  readonly page: Page;
  /** All URLs that it asked for. */
  readonly requestedUrls: readonly string[];
  /** Checks that it did nothing that it may not, and closes it. */
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
  // Violations of the policy are errors there.
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) errors.push(message.text());
  });
  await page.goto(url);
  return {
    page,
    requestedUrls,
    close: async () => {
      expect(requestedUrls.filter((one) => !/^(data|blob):/.test(one) && !one.startsWith(url))).toEqual([]);
      // A refusal that a test brings about is logged as a failed resource.
      expect(errors.filter((text) => !text.startsWith("Failed to load resource"))).toEqual([]);
      const state = await context.storageState({ indexedDB: true });
      expect(state).toEqual({ cookies: [], origins: [] });
      await context.close();
    },
  };
}

/** Follows a link that downloads a file; returns the name that it is saved under, and its bytes. */
export async function download(page: Page, link: RegExp): Promise<{ readonly name: string; readonly bytes: Buffer }> {
  const click = page.getByRole("link", { name: link }).click();
  const [download] = await Promise.all([page.waitForEvent("download"), click]);
  return { name: download.suggestedFilename(), bytes: readFileSync(await download.path()) };
}

/** The findings of axe, each with the elements. */
export async function findAccessibilityProblems(page: Page): Promise<string[]> {
  await page.evaluate(AXE);
  const { violations } = (await page.evaluate("axe.run()")) as {
    violations: { id: string; nodes: { html: string; failureSummary: string }[] }[];
  };
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`),
  );
}
