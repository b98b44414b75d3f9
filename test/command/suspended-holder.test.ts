// Tests the lock between processes: a suspended holder (SIGSTOP) keeps it, a killed one releases it.

import { spawn } from "node:child_process";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, it } from "vitest";
import { withLock } from "../../src/durable/lock.ts";
import { FROM_SOURCE } from "../helpers/from-source.mjs";
import { fileScratch } from "../helpers/run.ts";

const files = fileScratch();
const path = join(files.path, "a.lock");

it("a lock stays held while its process is suspended, and is released by kill -9", async () => {
  const lock = pathToFileURL(join(import.meta.dirname, "../../src/durable/lock.ts"));
  const code = `import { withLock } from ${JSON.stringify(lock.href)};
    await withLock(${JSON.stringify(path)}, () => { console.log("held"); return new Promise(() => setInterval(() => {}, 1000)); });`;
  const holder = spawn(process.execPath, [...FROM_SOURCE, "--input-type=module", "-e", code], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  await new Promise((resolve) => holder.stdout.once("data", resolve));
  holder.kill("SIGSTOP");
  await expect(withLock(path, async () => {}, 100)).rejects.toThrow(/another process has held/);
  holder.kill("SIGKILL");
  expect(await withLock(path, async () => "locked")).toBe("locked");
});
