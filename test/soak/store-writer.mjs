// Changes keys and channels until it is killed, as a daemon does. Prints each acknowledged change on a line of standard
// output, in the format of store-check.mjs.
//   node test/soak/store-writer.mjs HOME

import { randomBytes } from "node:crypto";
import { writeSync } from "node:fs";
import { Channels } from "../../src/channels/channels.ts";
import { CHANNELS } from "../../src/channels/record.ts";
import { KEYS, Keys } from "../../src/keys/keys.ts";
import { pause } from "../helpers/programs.mjs";
import { isRetryable, openSoakStore } from "./storage.mjs";

const [folder] = process.argv.slice(2);
const acknowledge = (line) => writeSync(1, `${line}\n`);
const warn = (line) => writeSync(2, `${line}\n`);
const store = await openSoakStore(folder, "records", [KEYS, CHANNELS], warn);
const keys = new Keys(store, { now: Date.now, random: randomBytes, warn });
const channels = new Channels(store, {
  now: Date.now,
  random: randomBytes,
  parseAddress: () => ({ ok: true }),
  isDisposable: () => false,
  blockedHostReason: () => undefined,
  canMail: true,
});

for (let i = 0; ; i++) await Promise.all([key(i), channel(i)].map((work) => work.catch(retryLater)));

/** Pauses after a failed change, which was not acknowledged. */
async function retryLater(error) {
  if (!isRetryable(error)) throw error;
  await pause(50);
}

async function key(i) {
  const { value } = await keys.create({ name: `key ${i}`, team: "default", scopes: ["emails:detect"] });
  acknowledge(`+${value.key.id}`);
  if (!keys.check(value.text).ok) warn("a new key is not accepted");
  if (i % 3 === 0 && (await keys.revoke(value.key.id))) acknowledge(`!${value.key.id}`);
}

async function channel(i) {
  const body = { name: `channel ${i}`, type: "webhook", config: { url: `https://hooks.example.com/${i}` } };
  // One team for each process: a team has a limit.
  const { value } = await channels.create(`team-${process.pid}`, body);
  const { id } = value.channel;
  acknowledge(`+${id}`);
  await channels.update(`team-${process.pid}`, id, { config: { headers: { "X-Number": String(i) } } });
  if (i % 2 !== 0) return;
  acknowledge(`?${id}`);
  if ((await channels.delete(`team-${process.pid}`, id)).ok) acknowledge(`-${id}`);
}
