// Reads a store while others change it, and compares it with the acknowledged changes. Writers print these marks, each
// with an id: `+` created, `~` changed, `?` about to be deleted, `-` deleted, `!` revoked.

import { pause } from "../helpers/programs.mjs";

/** Looks at the store again and again; what is wrong goes into `problems`. */
export function watchStore(backing) {
  const problems = new Set();
  let looks = 0;
  const look = () => {
    looks += 1;
    try {
      backing.look();
    } catch (error) {
      if (error.code !== "ENOENT") problems.add(`not readable: ${error.message}`);
    }
  };
  return {
    problems,
    looks: () => looks,
    during: async (ms) => {
      for (const until = performance.now() + ms; performance.now() < until; ) {
        look();
        await pause(5);
      }
    },
  };
}

/** What was acknowledged and is not so. */
export async function whatIsMissing(backing, lines) {
  const collections = await backing.read("records");
  const records = { ...collections.keys?.records, ...collections.channels?.records };
  const idsWithMark = (mark) => lines.filter((line) => line[0] === mark).map((line) => line.slice(1));
  // A deletion may have reached the disk while the kill kept the word of it from us.
  const tried = new Set(idsWithMark("?"));
  const lost = idsWithMark("+").filter((id) => records[id] === undefined && !tried.has(id));
  const back = idsWithMark("-").filter((id) => records[id] !== undefined);
  const old = idsWithMark("~").filter((id) => records[id] !== undefined && records[id].name !== "changed");
  const good = idsWithMark("!").filter((id) => records[id]?.revoked_at === undefined);
  return [
    ...lost.map((id) => `lost: ${id}`),
    ...back.map((id) => `not deleted: ${id}`),
    ...old.map((id) => `not changed: ${id}`),
    ...good.map((id) => `not revoked: ${id}`),
    ...backing.left().map((name) => `left behind: ${name}`),
  ];
}
