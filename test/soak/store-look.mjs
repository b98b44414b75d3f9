// Looking at a store while others change it, and comparing it with what they were told. Words of writers, each with an id: `+` made,
// `~` changed, `?` about to be deleted, `-` deleted, `!` revoked.

import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { readStore } from "./read-store.mjs";

/** Looks at the store again and again; what is wrong goes into `problems`. */
export function watchStore(home) {
  const path = join(home, "store.json");
  const problems = new Set();
  let looks = 0;
  // Any reader at any moment finds whole JSON in a file that is its owner's alone.
  const look = () => {
    looks += 1;
    try {
      readStore(path);
      for (const [file, wanted] of [
        [path, 0o600],
        [home, 0o700],
      ]) {
        const mode = statSync(file).mode & 0o777;
        if (mode !== wanted) problems.add(`the mode of ${file} is ${mode.toString(8)}`);
      }
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
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
    },
  };
}

/** What was acknowledged and is not so. */
export function whatIsMissing(home, lines) {
  const collections = readStore(join(home, "store.json"));
  const records = { ...collections.keys?.records, ...collections.channels?.records };
  const said = (mark) => lines.filter((line) => line[0] === mark).map((line) => line.slice(1));
  // A deletion may have reached the disk while the kill kept the word of it from us.
  const tried = new Set(said("?"));
  const lost = said("+").filter((id) => records[id] === undefined && !tried.has(id));
  const back = said("-").filter((id) => records[id] !== undefined);
  const old = said("~").filter((id) => records[id] !== undefined && records[id].name !== "changed");
  const good = said("!").filter((id) => records[id]?.revoked_at === undefined);
  const left = readdirSync(home).filter(
    (name) => !/^(?:store|deliveries)\.json(?:\.lock|\.journal-[12])?(?:\.previous)?(?:\.new)?$/.test(name),
  );
  return [
    ...lost.map((id) => `lost: ${id}`),
    ...back.map((id) => `not deleted: ${id}`),
    ...old.map((id) => `not changed: ${id}`),
    ...good.map((id) => `not revoked: ${id}`),
    ...left.map((name) => `left behind: ${name}`),
  ];
}
