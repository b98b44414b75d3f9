// Repeatedly kills one of two daemons and a command line with -9 at a random moment, all on one store, and compares
// acknowledged changes with the store. Daemons change channels over HTTP; the command line creates and revokes keys.

import { COMMAND, pause, startNode } from "../helpers/programs.mjs";
import { watchStore, whatIsMissing } from "./store-look.mjs";

const SCOPES = "notifications:create,notifications:read,notifications:update,notifications:delete";

/**
 * Runs `kills` kills over the store in `home`; returns what came of it. `problems` is empty when nothing was lost. `daemons` is their
 * number.
 */
export async function killDaemons(home, kills, backing, daemons) {
  const acknowledged = [];
  const watch = watchStore(backing);
  const made = await runOnce(home, ["keys", "create", "--name", "soak", "--scopes", SCOPES]);
  const world = { home, backing, key: made.output.trim(), acknowledged, problems: watch.problems, over: false };
  const seats = [...Array.from({ length: daemons }, (_, i) => ({ home: backing.homeOf(i) })), { home }];
  const loops = [...seats.slice(0, daemons).map((seat) => daemonSeat(world, seat)), commandSeat(world, seats[daemons])];
  const victims = [...seats, ...backing.victims];
  for (let killed = 0; killed < kills; ) {
    await watch.during(500 + Math.random() * 1500);
    const { child, kill, hasBegun } = victims[killed % victims.length];
    // On a busy machine a process may need seconds to begin.
    if (kill === undefined && hasBegun !== true) continue;
    if (kill === undefined) child.kill("SIGKILL");
    else await kill();
    killed += 1;
  }
  world.over = true;
  for (const { child } of seats) child?.kill("SIGKILL");
  await Promise.all(loops);
  return {
    acknowledged: acknowledged.length,
    looks: watch.looks(),
    problems: [...watch.problems, ...(await whatIsMissing(backing, acknowledged))],
  };
}

/** Starts daemons one after the other and changes channels through them until they die. */
async function daemonSeat(world, seat) {
  while (!world.over) {
    const child = startNode([COMMAND, "serve", "--port", "0", "--home", seat.home]);
    seat.child = child;
    const { ended } = child;
    const url = await new Promise((resolve) => {
      let log = "";
      child.stderr.on("data", (chunk) => {
        log += chunk;
        const found = /"msg":"listening on ([^"]+)"/.exec(log);
        if (found !== null) resolve(found[1]);
        const logLines = log.split("\n").filter((line) => /"level":(?:40|50|60)|^addrsift:/.test(line));
        for (const line of logLines) if (!world.backing.mayBeSaid(line)) world.problems.add(`a daemon says: ${line}`);
      });
      ended.then(() => resolve(undefined));
    });
    seat.hasBegun = url !== undefined;
    await Promise.race([ended, url === undefined ? ended : changeUntil(ended, world, url)]);
    await ended;
    seat.hasBegun = false;
  }
}

/** Begins again when the database was away. */
async function changeUntil(ended, world, url) {
  let isOver = false;
  ended.then(() => {
    isOver = true;
  });
  while (!isOver) {
    await changeChannels(world, url).catch(() => {});
    await pause(50);
  }
}

async function changeChannels(world, base) {
  const headers = { Authorization: `Bearer ${world.key}`, "Content-Type": "application/json" };
  const call = async (method, path, body) => {
    const url = `${base}/api/v1/team/notifications/channels${path}`;
    const answer = await fetch(url, { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) });
    const data = await answer.json();
    if (answer.status === 200) return data;
    if (world.backing.mayBeSaid(data.message)) throw new Error(data.message);
    world.problems.add(`${method} ${answer.status}: ${JSON.stringify(data)}`);
    // It refuses from here on. The kill ends the wait.
    return new Promise(() => {});
  };
  for (let i = 0; !world.over; i++) {
    const body = { name: `channel ${i}`, type: "webhook", config: { url: `https://hooks.example.com/${i}` } };
    const { id } = await call("POST", "", body);
    world.acknowledged.push(`+${id}`);
    await call("PATCH", `/${id}`, { name: "changed" });
    world.acknowledged.push(`~${id}`);
    if (i % 4 === 0) continue;
    world.acknowledged.push(`?${id}`);
    await call("DELETE", `/${id}`);
    world.acknowledged.push(`-${id}`);
  }
}

/** Runs command after command; a killed command acknowledges nothing. */
async function commandSeat(world, seat) {
  for (let i = 0; !world.over; i++) {
    const create = ["keys", "create", "--name", `key ${i}`, "--scopes", "emails:detect", "--json"];
    const made = await runOnce(world.home, create, seat);
    if (made.errors !== "" && !world.backing.mayBeSaid(made.errors))
      world.problems.add(`a command says: ${made.errors}`);
    if (made.status !== 0) continue;
    const { id } = JSON.parse(made.output);
    world.acknowledged.push(`+${id}`);
    const revoked = await runOnce(world.home, ["keys", "revoke", id], seat);
    if (revoked.status === 0) world.acknowledged.push(`!${id}`);
  }
}

function runOnce(home, args, seat = {}) {
  const child = startNode([COMMAND, ...args, "--home", home], { stdio: ["ignore", "pipe", "pipe"] });
  Object.assign(seat, { child, hasBegun: true });
  return child.ended.finally(() => {
    seat.hasBegun = false;
  });
}
