// Tests `npm run data:exchangers`, which looks up the mail exchangers of new names.

import { spawn } from "node:child_process";
import { expect, it, onTestFinished } from "vitest";
import { inputs } from "../helpers/build-inputs.ts";
import { ROOT } from "../helpers/classify.ts";
import { type Reaction, startNameServer } from "../helpers/name-server.ts";

async function outputOf(...args: string[]): Promise<string[]> {
  const program = ["--import", "./.ci/ts.mjs", "src/build/data-exchangers.ts", ...args];
  const child = spawn(process.execPath, program, { cwd: ROOT, stdio: ["ignore", "pipe", "inherit"] });
  let text = "";
  child.stdout.on("data", (chunk) => {
    text += chunk;
  });
  const status = await new Promise((resolve) => child.on("close", resolve));
  expect(status).toBe(0);
  return text.trimEnd().split("\n");
}

type Records = readonly (readonly [name: string, answer: Reaction])[];
const mx = (names: readonly string[], host: string): Records => names.map((name) => [name, { mx: [[10, host]] }]);
const ownHosts = (names: readonly string[], address: string): Records =>
  names.flatMap((name) => [...mx([name], `mail.${name}`), [`mail.${name}`, { a: [address] }]]);

it("data:exchangers proposes exchangers shared by three new names, if no row or legitimate name has them", async () => {
  const { snapshots } = inputs();
  const dated = [...snapshots.D.names].sort(([, [one = ""]], [, [other = ""]]) => (one < other ? 1 : -1));
  const names = dated.map(([name]) => name).filter((name) => name.split(".").length === 2);
  const three = (group: number): string[] => names.slice(3 * group, 3 * group + 3);
  const answers = new Map([
    ...ownHosts(three(0), "46.62.1.7"),
    ...mx(three(1), "mx.service-of-q7.org"),
    ["mx.service-of-q7.org", { a: ["46.62.1.8"] }],
    // Not proposed: has a row; legitimate name; legitimate name by address; shared by only two names.
    ...mx(three(2), "aspmx.l.google.com"),
    ...mx([...three(3), "duck.com"], "mx.hoster-of-q7.org"),
    ...ownHosts([...three(4), "gmail.com"], "46.62.1.9"),
    ...mx(three(5).slice(1), "mx.other-of-q7.org"),
  ]);
  const server = await startNameServer(({ name }) => answers.get(name) ?? { rcode: 3 });
  onTestFinished(server.stop);
  const lines = await outputOf("--dns-server", server.address);
  const rows = lines.filter((line) => !line.startsWith("#")).map((line) => line.split("\t").slice(0, 3));
  expect(rows.sort()).toEqual([
    ["46.62.1.7", "address", "disposable"],
    ["mx.service-of-q7.org", "exact", "disposable"],
  ]);
  expect(lines.at(-1)).toMatch(/^# 2 proposed; exchangers of 17 of \d+ new names and 2 of \d+ legitimate ones$/);
});
