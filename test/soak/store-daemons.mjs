// Repeatedly kills one of two daemons and a command line with -9 at a random moment, all on one store, and compares
// acknowledged changes with the store. Daemons change channels over HTTP; the command line creates and revokes keys.

import { COMMAND, pause, startNode } from "../helpers/programs.mjs";
import { findLostChanges, watchStore } from "./store-check.mjs";

const SCOPES = "notifications:create,notifications:read,notifications:update,notifications:delete";

/**
 * Kills daemons and commands that use the store in `home` `kills` times. Returns the counts, and the problems if
 * changes were lost. `daemons` is the number of daemons.
 */
export async function killDaemons(home, kills, storage, daemons) {
  const acknowledged = [];
  const watch = watchStore(storage);
  const created = await runOnce(home, ["keys", "create", "--name", "soak", "--scopes", SCOPES]);
  const context = { home, storage, key: created.output.trim(), acknowledged, problems: watch.problems, isOver: false };
  const daemonProcesses = Array.from({ length: daemons }, (_, i) => ({ home: storage.homeOf(i) }));
  const commandProcess = { home };
  const processes = [...daemonProcesses, commandProcess];
  const loops = [
    ...daemonProcesses.map((daemonProcess) => runDaemons(context, daemonProcess)),
    runCommands(context, commandProcess),
  ];
  const victims = [...processes, ...storage.victims];
  for (let killed = 0; killed < kills; ) {
    await watch.checkFor(500 + Math.random() * 1500);
    const { child, kill, hasStarted } = victims[killed % victims.length];
    // On a busy machine a process may need seconds to start.
    if (kill === undefined && hasStarted !== true) continue;
    if (kill === undefined) child.kill("SIGKILL");
    else await kill();
    killed += 1;
  }
  context.isOver = true;
  for (const { child } of processes) child?.kill("SIGKILL");
  await Promise.all(loops);
  return {
    acknowledged: acknowledged.length,
    checks: watch.checks(),
    problems: [...watch.problems, ...(await findLostChanges(storage, acknowledged))],
  };
}

/** Starts daemons one after the other and changes channels through them until they die. */
async function runDaemons(context, current) {
  while (!context.isOver) {
    const child = startNode([COMMAND, "serve", "--port", "0", "--home", current.home]);
    current.child = child;
    const { ended } = child;
    const url = await new Promise((resolve) => {
      let log = "";
      child.stderr.on("data", (chunk) => {
        log += chunk;
        const match = /"msg":"listening on ([^"]+)"/.exec(log);
        if (match !== null) resolve(match[1]);
        const logLines = log.split("\n").filter((line) => /"level":(?:40|50|60)|^addrsift:/.test(line));
        for (const line of logLines)
          if (!context.storage.isExpectedMessage(line)) context.problems.add(`a daemon printed: ${line}`);
      });
      ended.then(() => resolve(undefined));
    });
    current.hasStarted = url !== undefined;
    await Promise.race([ended, url === undefined ? ended : changeUntil(ended, context, url)]);
    await ended;
    current.hasStarted = false;
  }
}

/** Changes channels until the daemon ends. Restarts after a failure of the database. */
async function changeUntil(ended, context, url) {
  let isOver = false;
  ended.then(() => {
    isOver = true;
  });
  while (!isOver) {
    await changeChannels(context, url).catch(() => {});
    await pause(50);
  }
}

async function changeChannels(context, base) {
  const headers = { Authorization: `Bearer ${context.key}`, "Content-Type": "application/json" };
  const call = async (method, path, body) => {
    const url = `${base}/api/v1/team/notifications/channels${path}`;
    const answer = await fetch(url, { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) });
    const data = await answer.json();
    if (answer.status === 200) return data;
    if (context.storage.isExpectedMessage(data.message)) throw new Error(data.message);
    context.problems.add(`${method} ${answer.status}: ${JSON.stringify(data)}`);
    // Send nothing more. The kill ends this wait.
    return new Promise(() => {});
  };
  for (let i = 0; !context.isOver; i++) {
    const body = { name: `channel ${i}`, type: "webhook", config: { url: `https://hooks.example.com/${i}` } };
    const { id } = await call("POST", "", body);
    context.acknowledged.push(`+${id}`);
    await call("PATCH", `/${id}`, { name: "changed" });
    context.acknowledged.push(`~${id}`);
    if (i % 4 === 0) continue;
    context.acknowledged.push(`?${id}`);
    await call("DELETE", `/${id}`);
    context.acknowledged.push(`-${id}`);
  }
}

/** Runs command after command; a killed command acknowledges nothing. */
async function runCommands(context, current) {
  for (let i = 0; !context.isOver; i++) {
    const create = ["keys", "create", "--name", `key ${i}`, "--scopes", "emails:detect", "--json"];
    const created = await runOnce(context.home, create, current);
    if (created.errors !== "" && !context.storage.isExpectedMessage(created.errors))
      context.problems.add(`a command printed: ${created.errors}`);
    if (created.status !== 0) continue;
    const { id } = JSON.parse(created.output);
    context.acknowledged.push(`+${id}`);
    const revoked = await runOnce(context.home, ["keys", "revoke", id], current);
    if (revoked.status === 0) context.acknowledged.push(`!${id}`);
  }
}

function runOnce(home, args, current = {}) {
  const child = startNode([COMMAND, ...args, "--home", home], { stdio: ["ignore", "pipe", "pipe"] });
  Object.assign(current, { child, hasStarted: true });
  return child.ended.finally(() => {
    current.hasStarted = false;
  });
}
