// Tests `npm run data:exchangers`, which looks up the mail exchangers of new names.

import { spawn } from "node:child_process";
import { expect, it } from "vitest";
import { inputs } from "../helpers/build-inputs.ts";
import { ROOT } from "../helpers/classify.ts";
import { hasNsd, startNsd } from "../helpers/nsd.mjs";

/** Zones by top-level domain, of lines such as `a.com. 60 IN MX 10 mx.a.com.`. */
function zonesOf(lines: readonly string[]): Record<string, string> {
  const zones: Record<string, string> = {};
  for (const line of lines) {
    const zone = line.split(". ")[0]?.split(".").at(-1) as string;
    zones[zone] ??= `$ORIGIN ${zone}.\n@ 60 IN SOA ns.test. hostmaster.test. 1 2 3 4 5\n@ 60 IN NS ns.test.\n`;
    zones[zone] += `${line}\n`;
  }
  return zones;
}

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

if (!hasNsd) console.warn("skipped: data:exchangers against nsd, which is not installed (Debian: apt-get install nsd)");

it.skipIf(!hasNsd)(
  "data:exchangers proposes exchangers shared by three new names, if no row or legitimate name has them (needs nsd)",
  { timeout: 120_000 },
  async () => {
    const { snapshots } = inputs();
    const dated = [...snapshots.D.names].sort(([, [one = ""]], [, [other = ""]]) => (one < other ? 1 : -1));
    const names = dated.map(([name]) => name).filter((name) => name.split(".").length === 2);
    const three = (group: number): string[] => names.slice(3 * group, 3 * group + 3);
    const mx = (domains: readonly string[], host: string): string[] => domains.map((name) => `${name}. MX 10 ${host}.`);
    const ownHosts = (domains: readonly string[], address: string): string[] =>
      domains.flatMap((name) => [...mx([name], `mail.${name}`), `mail.${name}. A ${address}`]);
    const nsd = await startNsd(
      zonesOf([
        ...ownHosts(three(0), "46.62.1.7"),
        ...mx(three(1), "mx.service-of-q7.org"),
        "mx.service-of-q7.org. A 46.62.1.8",
        // Not proposed: has a row; legitimate name; legitimate name by address; shared by only two names.
        ...mx(three(2), "aspmx.l.google.com"),
        ...mx([...three(3), "duck.com"], "mx.hoster-of-q7.org"),
        ...ownHosts([...three(4), "gmail.com"], "46.62.1.9"),
        ...mx(three(5).slice(1), "mx.other-of-q7.org"),
      ]),
    );
    try {
      const lines = await outputOf("--dns-server", nsd.address);
      const rows = lines.filter((line) => !line.startsWith("#")).map((line) => line.split("\t").slice(0, 3));
      expect(rows.sort()).toEqual([
        ["46.62.1.7", "address", "disposable"],
        ["mx.service-of-q7.org", "exact", "disposable"],
      ]);
      expect(lines.at(-1)).toMatch(/^# 2 proposed; exchangers of 17 of \d+ new names and 2 of \d+ legitimate ones$/);
    } finally {
      await nsd.stop();
    }
  },
);
