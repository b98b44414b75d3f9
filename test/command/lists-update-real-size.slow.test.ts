// Tests an update of the package's full lists, in a separate process. Other tests of updates use small lists.

import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { readBuildInputs } from "../../src/curation/build-inputs.ts";
import { ROOT } from "../helpers/classify.ts";
import { type Mirror, startMirror } from "../helpers/mirror.ts";
import { linesOf, objectsOf, runProcess, scratch } from "../helpers/run.ts";

const folder = scratch();
const home = ["--home", join(folder.path, "home")];
let mirror: Mirror;
beforeAll(async () => {
  mirror = await startMirror(readBuildInputs(ROOT).snapshots);
});
afterAll(async () => {
  await mirror.close();
  folder.remove();
});

const NEW = "brand-new-throw-away.com";
const GONE = "10-minute-mail.com";

it("an update of 200,000 names applies two changes, and a rollback reverts them", { timeout: 240_000 }, async () => {
  const verdicts = async (): Promise<unknown[]> => {
    const emails = [NEW, GONE, "gmail.com", "uni-bonn.de", "10minutemail.com"].map((name) => `a@${name}`);
    const { stdout } = await runProcess(["detect", "--offline", ...home, ...emails]);
    return objectsOf(stdout).map(({ disposable }) => disposable);
  };
  // Without the daily list: it would get today's date, and the package's has an earlier one.
  const keys = ["D", "F", "T", "E"] as const;
  for (const key of keys) {
    const text = (mirror.texts.get(key) as string).replace(`\n${GONE}\n`, "\n");
    mirror.texts.set(key, key === "D" ? `${text}${NEW}\n` : text);
  }
  expect(await verdicts()).toEqual([false, true, false, false, true]);
  const diff = await runProcess(["lists", "diff", ...home, ...mirror.options(keys)]);
  expect(linesOf(diff.stdout).map((line) => line.split("\t").slice(0, 2))).toEqual([
    ["-", GONE],
    ["+", NEW],
  ]);
  const updated = await runProcess(["lists", "update", ...home, ...mirror.options(keys)]);
  expect([updated.status, updated.stderr.toString()]).toEqual([0, ""]);
  expect(await verdicts()).toEqual([true, false, false, false, true]);
  expect((await runProcess(["lists", "rollback", ...home])).status).toBe(0);
  expect(await verdicts()).toEqual([false, true, false, false, true]);
});
