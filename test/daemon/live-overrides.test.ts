// Tests that a running daemon applies other processes' overrides within a second.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { send, testDaemon } from "../helpers/daemon.ts";
import { fileScratch, run } from "../helpers/run.ts";

const DETECT = "/api/v1/emails/detect";
const folder = fileScratch();

it("a running daemon reloads changed overrides, and logs how many are in use", async () => {
  const home = join(folder.path, "home");
  const daemon = await testDaemon(["--dns", "off"], { home });
  const lists = async (...args: string[]): Promise<void> => {
    const { status, stderr } = await run(["lists", ...args, "--home", home]);
    expect([status, stderr.toString()]).toEqual([0, ""]);
  };
  const sourceAt = async (path: string): Promise<unknown> => {
    const { json } = await send(daemon.port, "GET", path);
    return (json["data"] as { detection_source: string }).detection_source;
  };
  const source = (email: string): Promise<unknown> => sourceAt(`${DETECT}?email=${email}&explain=true`);
  const domainSource = (domain: string): Promise<unknown> => sourceAt(`/api/v1/domains/${domain}`);
  expect(await source("a@mailinator.com")).toBe("precomputed");
  expect(await domainSource("mailinator.com")).toBe("precomputed");
  await lists("allow", "mailinator.com", "--reason", "ours");
  await expect.poll(() => source("a@mailinator.com")).toBe("override");
  expect(await domainSource("mailinator.com")).toBe("override");
  await expect.poll(daemon.log).toContain("1 override is now in use");
  const text = "mailinator.com\tallow\na.example\tdeny\nold.example\tdeny\t2001-01-01\ncom\tdeny\n";
  writeFileSync(join(home, "overrides.tsv"), text);
  await expect.poll(daemon.log).toContain("2 overrides are now in use");
  await lists("overrides", "--remove", "mailinator.com");
  await expect.poll(() => source("a@mailinator.com")).toBe("precomputed");
});

it("a daemon with a damaged overrides file uses the previous overrides and stays ready", async () => {
  const home = join(folder.path, "broken");
  expect((await run(["lists", "allow", "mailinator.com", "--home", home])).status).toBe(0);
  const daemon = await testDaemon(["--dns", "off"], { home });
  const file = join(home, "overrides.tsv");
  writeFileSync(file, "mailinator.com allow\n");
  await expect.poll(daemon.log).toMatch(/the overrides read before stay in force: .*overrides\.tsv:1: /);
  const { json } = await send(daemon.port, "GET", `${DETECT}?email=a@mailinator.com`);
  expect(json["data"]).toMatchObject({ disposable: false, detection_source: "override" });
  const ready = async (): Promise<unknown[]> => {
    const { status, json } = await send(daemon.port, "GET", "/readyz");
    return [status, json["message"]];
  };
  expect(await ready()).toEqual([
    200,
    expect.stringMatching(/^The daemon is ready\. But overrides\.tsv can't be read, /),
  ]);
  const metrics = async (): Promise<string> => (await send(daemon.port, "GET", "/metrics")).text;
  expect(await metrics()).toContain('addrsift_store_damaged{file="overrides.tsv"} 1');
  writeFileSync(file, "mailinator.com\tallow\n");
  await expect.poll(ready).toEqual([200, "The daemon is ready."]);
  writeFileSync(file, "@mailinator.com\tdeny\n");
  await expect.poll(ready).toEqual([200, expect.stringContaining("overrides.tsv can't be read")]);
  await expect.poll(daemon.log).toMatch(/overrides\.tsv:1: entry must be .*: write mailinator\.com/);
  writeFileSync(file, "mailinator.com\tallow\njane+x@gmail.com\tdeny\n");
  await expect.poll(ready).toEqual([200, "The daemon is ready."]);
  await expect.poll(daemon.log).toMatch(/overrides\.tsv:2: .*matches no address: write jane@gmail\.com/);
  expect(await metrics()).toContain('addrsift_store_damaged{file="overrides.tsv"} 0');
});
