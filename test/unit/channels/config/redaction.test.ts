// Tests two invariants of any patch: no stored secret is revealed, and none is sent to another origin.

import fc from "fast-check";
import { afterAll, expect, it } from "vitest";
import type { ChannelConfig } from "../../../../src/channels/record.ts";
import { openRecords } from "../../../helpers/records.ts";

const records = openRecords();
afterAll(() => records.remove());

const secret = (mark: string): string => `whsec_${Buffer.from(mark.padEnd(24, "-")).toString("base64")}`;
const OLD = {
  url: "https://OLDUSER:OLDPASSWORD@hooks.example.com/OLDPATH?k=OLDQUERY#OLDFRAGMENT",
  headers: { "X-Key": "OLDHEADER", "X-Other": "OLDOTHER" },
  secret: secret("OLDSECRET"),
};
// Whole words, because a random id can contain `OLD` or `NEW`.
const OLD_TEXT = /OLD(?:USER|PASSWORD|PATH|QUERY|FRAGMENT|HEADER|OTHER|SECRET)|T0xEU0VDUkVU/;
const NEW_TEXT = /NEWPATH|NEWHEADER|TkVXU0VDUkVU/;

const header = fc.option(fc.constantFrom("NEWHEADER", "NEWHEADER\n", "[redacted]", "", 7), { nil: null });
const patches = fc.oneof(
  fc.record(
    {
      url: fc.option(
        fc.constantFrom(
          OLD.url,
          "https://hooks.example.com/[redacted]",
          "https://hooks.example.com/NEWPATH",
          "https://hooks.example.com:444/NEWPATH",
          "http://hooks.example.com/NEWPATH",
          "https://evil.example/NEWPATH",
          "https://hooks.example.com@evil.example/NEWPATH",
          "https://evil.example/[redacted]",
          "ftp://NEWPATH",
        ),
        { nil: null },
      ),
      secret: fc.option(fc.constantFrom("[redacted]", secret("NEWSECRET"), "whsec_NEW", 7), { nil: null }),
      headers: fc.option(
        fc.record({ "X-Key": header, "x-key": header, "X-OTHER": header, "X-New": header }, { requiredKeys: [] }),
        { nil: null },
      ),
      events: fc.option(fc.constantFrom([], ["lists.updated"], "all"), { nil: null }),
    },
    { requiredKeys: [] },
  ),
  // Secrets in place of field names.
  fc.constantFrom(null, { [secret("NEWSECRET")]: 1 }, { headers: { [`${secret("NEWSECRET")} `]: "a" } }),
  fc.json().map((text) => JSON.parse(text) as unknown),
);

const originOf = ({ url }: ChannelConfig): string | undefined => (url === undefined ? undefined : new URL(url).origin);

it("no sequence of updates reveals a secret or keeps it for another origin", async () => {
  const counts = { newOrigin: 0, sameOrigin: 0, rejected: 0 };
  await fc.assert(
    fc.asyncProperty(fc.array(patches, { minLength: 1, maxLength: 4 }), async (all) => {
      const creation = await records.channels.create("default", { name: "a", type: "webhook", config: OLD });
      if (!creation.ok) throw new Error(creation.fault.message);
      const { id } = creation.value.channel;
      for (const config of all) {
        const before = records.channels.find("default", id)?.config as ChannelConfig;
        const outcome = await records.channels.update("default", id, { config });
        const after = records.channels.find("default", id)?.config as ChannelConfig;
        const responses = JSON.stringify([
          outcome,
          records.channels.get("default", id),
          records.channels.list("default"),
        ]);
        expect(responses).not.toMatch(OLD_TEXT);
        expect(responses).not.toMatch(NEW_TEXT);
        if (!outcome.ok) {
          counts.rejected += 1;
          expect(after).toEqual(before);
        } else if (originOf(after) === originOf(before)) {
          counts.sameOrigin += 1;
        } else {
          counts.newOrigin += 1;
          const patch = (config ?? {}) as { readonly secret?: unknown; readonly headers?: object | null };
          if (after.secret !== undefined && after.secret !== patch.secret) expect(after.secret).not.toBe(before.secret);
          const values = Object.values(patch.headers ?? {});
          for (const value of Object.values(after.headers ?? {})) expect(values).toContain(value);
        }
        if (after.url !== undefined) expect(after.secret).toMatch(/^whsec_/);
        else expect([after.headers, after.secret]).toEqual([undefined, undefined]);
      }
      const deletion = JSON.stringify(await records.channels.delete("default", id));
      expect(deletion).not.toMatch(OLD_TEXT);
      expect(deletion).not.toMatch(NEW_TEXT);
    }),
    // Few runs, because each change is written to the disk. The example has each outcome.
    {
      numRuns: 40,
      examples: [[[{ url: "https://evil.example/NEWPATH" }, { events: null }, { url: "ftp://NEWPATH" }]]],
    },
  );
  for (const count of Object.values(counts)) expect(count).toBeGreaterThan(0);
});
