// Soaks the store: two daemons change channels of one home while the command line creates and revokes keys, and one of
// the three is killed with -9 at a random moment, forty times. No acknowledged change may be lost, and at any moment the
// file is complete.
//   npm run soak:store [-- KILLS]

import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { readRecords, storedChannel, writeRecords } from "../helpers/home-files.ts";
import { COMMAND, pause, reportProblems, scratchFolder, startNode } from "../helpers/programs.mjs";

const kills = Number(process.argv[2] ?? 40);
const FILE = "store.json";
const EXPECTED_FILES = /^(?:store|deliveries)\.json(?:\.lock)?(?:\.previous)?(?:\.new)?$/;
// Makes the file large enough that a kill can interrupt a write.
const CHANNELS = 250;
const SCOPES = "notifications:create,notifications:read,notifications:update,notifications:delete";

const home = join(scratchFolder("soak"), "home");
/** Acknowledged changes, each with an id: `+` created, `~` changed, `?` about to be deleted, `-` deleted, `!` revoked. */
const acknowledged = [];
const problems = new Set();
let checks = 0;
let isOver = false;

const ids = Array.from({ length: CHANNELS }, (_, i) => `ch_${i}`);
const channels = ids.map((id) => [id, storedChannel(id, "https://hooks.example.com/", { team: "large" })]);
writeRecords(home, FILE, { channels: Object.fromEntries(channels) });
const created = await runOnce(["keys", "create", "--name", "soak", "--scopes", SCOPES]);
const key = created.output.trim();
await killProcesses();
for (const problem of findLostChanges()) problems.add(problem);
reportProblems(`store: ${kills} kills, ${acknowledged.length} acknowledged changes, ${checks} checks of the file`, [
  ...problems,
]);

async function killProcesses() {
  const [one, other, command] = [{}, {}, {}];
  const victims = [one, other, command];
  const loops = [runDaemons(one), runDaemons(other), runCommands(command)];
  for (let killed = 0; killed < kills; ) {
    await checkFor(500 + Math.random() * 1500);
    const { child, hasStarted } = victims[killed % victims.length];
    // On a busy machine a process may need seconds to start.
    if (hasStarted !== true) continue;
    child.kill("SIGKILL");
    killed += 1;
  }
  isOver = true;
  for (const { child } of victims) child?.kill("SIGKILL");
  await Promise.all(loops);
}

/** Checks repeatedly that the store is complete JSON in a file that only its owner can read. */
async function checkFor(ms) {
  for (const endMs = performance.now() + ms; performance.now() < endMs; await pause(5)) {
    checks += 1;
    try {
      readRecords(home, FILE, "channels");
      const modes = [home, join(home, FILE)].map((path) => (statSync(path).mode & 0o777).toString(8));
      if (modes.join() !== "700,600") problems.add(`the modes of the home and the file are ${modes}`);
    } catch (error) {
      problems.add(`not readable: ${error.message}`);
    }
  }
}

/** Starts daemons one after the other and changes channels through them until they die. */
async function runDaemons(current) {
  while (!isOver) {
    const child = startNode([COMMAND, "serve", "--port", "0", "--home", home]);
    current.child = child;
    const { ended } = child;
    const url = await new Promise((resolve) => {
      let log = "";
      child.stderr.on("data", (chunk) => {
        log += chunk;
        const match = /"msg":"listening on ([^"]+)"/.exec(log);
        if (match !== null) resolve(match[1]);
        const lines = log.split("\n").filter((line) => /"level":(?:40|50|60)|^addrsift:/.test(line));
        for (const line of lines) problems.add(`a daemon printed: ${line}`);
      });
      ended.then(() => resolve(undefined));
    });
    current.hasStarted = url !== undefined;
    if (url !== undefined) changeChannels(url).catch(() => {});
    await ended;
    current.hasStarted = false;
  }
}

/** Changes channels until a request fails, as when the daemon is killed. */
async function changeChannels(base) {
  const headers = { Authorization: `Bearer ${key}`, "Content-Type": "application/json" };
  const call = async (method, path, body) => {
    const url = `${base}/api/v1/team/notifications/channels${path}`;
    const answer = await fetch(url, { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) });
    const data = await answer.json();
    if (answer.status === 200) return data;
    problems.add(`${method} ${answer.status}: ${JSON.stringify(data)}`);
    throw new Error(data.message);
  };
  for (let i = 0; !isOver; i++) {
    const body = { name: `channel ${i}`, type: "webhook", config: { url: `https://hooks.example.com/${i}` } };
    const { id } = await call("POST", "", body);
    acknowledged.push(`+${id}`);
    await call("PATCH", `/${id}`, { name: "changed" });
    acknowledged.push(`~${id}`);
    if (i % 4 === 0) continue;
    acknowledged.push(`?${id}`);
    await call("DELETE", `/${id}`);
    acknowledged.push(`-${id}`);
  }
}

/** Runs command after command; a killed command acknowledges nothing. */
async function runCommands(current) {
  for (let i = 0; !isOver; i++) {
    const create = ["keys", "create", "--name", `key ${i}`, "--scopes", "emails:detect", "--json"];
    const { status, output, errors } = await runOnce(create, current);
    if (errors !== "") problems.add(`a command printed: ${errors}`);
    if (status !== 0) continue;
    const { id } = JSON.parse(output);
    acknowledged.push(`+${id}`);
    if ((await runOnce(["keys", "revoke", id], current)).status === 0) acknowledged.push(`!${id}`);
  }
}

function runOnce(args, current = {}) {
  const child = startNode([COMMAND, ...args, "--home", home], { stdio: ["ignore", "pipe", "pipe"] });
  Object.assign(current, { child, hasStarted: true });
  return child.ended.finally(() => {
    current.hasStarted = false;
  });
}

/** Returns the acknowledged changes that the store lacks, and files that should not be there. */
function findLostChanges() {
  const records = { ...readRecords(home, FILE, "keys"), ...readRecords(home, FILE, "channels") };
  const idsWithMark = (mark) => acknowledged.filter((change) => change[0] === mark).map((change) => change.slice(1));
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
    ...readdirSync(home)
      .filter((name) => !EXPECTED_FILES.test(name))
      .map((name) => `unexpected file: ${name}`),
  ];
}
