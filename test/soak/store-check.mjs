// Reads a store while others change it, and compares it with the acknowledged changes. Writers print these marks, each
// with an id: `+` created, `~` changed, `?` about to be deleted, `-` deleted, `!` revoked.

import { pause } from "../helpers/programs.mjs";

/** Returns a watch that checks the store repeatedly and collects problems. */
export function watchStore(storage) {
  const problems = new Set();
  let checks = 0;
  const check = () => {
    checks += 1;
    try {
      storage.check();
    } catch (error) {
      if (error.code !== "ENOENT") problems.add(`not readable: ${error.message}`);
    }
  };
  return {
    problems,
    checks: () => checks,
    checkFor: async (ms) => {
      for (const endMs = performance.now() + ms; performance.now() < endMs; ) {
        check();
        await pause(5);
      }
    },
  };
}

/** Returns the acknowledged changes that the store lacks, and files that should not be there. */
export async function findLostChanges(storage, lines) {
  const collections = await storage.read("records");
  const records = { ...collections.keys?.records, ...collections.channels?.records };
  const idsWithMark = (mark) => lines.filter((line) => line[0] === mark).map((line) => line.slice(1));
  // A deletion may be on the disk although the process was killed before it could acknowledge it.
  const maybeDeleted = new Set(idsWithMark("?"));
  const lost = idsWithMark("+").filter((id) => records[id] === undefined && !maybeDeleted.has(id));
  const undeleted = idsWithMark("-").filter((id) => records[id] !== undefined);
  const unchanged = idsWithMark("~").filter((id) => records[id] !== undefined && records[id].name !== "changed");
  const unrevoked = idsWithMark("!").filter((id) => records[id]?.revoked_at === undefined);
  return [
    ...lost.map((id) => `lost: ${id}`),
    ...undeleted.map((id) => `not deleted: ${id}`),
    ...unchanged.map((id) => `not changed: ${id}`),
    ...unrevoked.map((id) => `not revoked: ${id}`),
    ...storage.leftovers().map((name) => `unexpected file: ${name}`),
  ];
}
