// Tests the lock between processes: one holder at a time, and it is released however its process ends.

import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { withLock } from "../../../src/durable/lock.ts";
import { scratch } from "../../helpers/run.ts";

let files: ReturnType<typeof scratch>;
let path: string;
beforeEach(() => {
  files = scratch();
  path = join(files.path, "a.lock");
});
afterEach(() => files.remove());

it("the lock has one holder at a time, even within one process", async () => {
  let holders = 0;
  let maxHolders = 0;
  const work = async (): Promise<void> => {
    holders += 1;
    maxHolders = Math.max(maxHolders, holders);
    await new Promise((resolve) => setTimeout(resolve, 2));
    holders -= 1;
  };
  await Promise.all(Array.from({ length: 20 }, () => withLock(path, work)));
  expect(maxHolders).toBe(1);
});

it("the lock is released, and its file kept, if the locked function fails", async () => {
  await expect(withLock(path, () => Promise.reject(new RangeError("no")))).rejects.toThrow(RangeError);
  expect(await withLock(path, async () => "locked")).toBe("locked");
  expect(existsSync(path)).toBe(true);
});

it("waiting for a lock that is held fails at the timeout", async () => {
  await withLock(path, async () => {
    const secondLock = withLock(path, async () => {}, 100);
    await expect(secondLock).rejects.toMatchObject({
      code: "UNAVAILABLE",
      message: expect.stringMatching(
        /^another process has held \S+a\.lock for 0\.1 seconds: look for a suspended addrsift process/,
      ),
    });
  });
});

it("an unwritable lock file is reported in one line", async () => {
  await expect(withLock(join(files.path, "none/a.lock"), async () => {})).rejects.toThrow(
    /^can't lock [^\n]+: [^\n]+$/,
  );
});
