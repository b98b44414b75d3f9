// Tests a daemon that updates its lists, also while others update them: every response uses either the old or the new
// lists, and channels are notified.

import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type Daemon, send, startDaemon } from "../helpers/daemon.ts";
import { type Mirror, startMirror } from "../helpers/mirror.ts";
import { type Receiver, startReceiver, status } from "../helpers/receiver.ts";
import { type RunResult, runProgram, scratch } from "../helpers/run.ts";
import { createSmallPackage, type SmallPackage } from "../helpers/small-package.ts";

let small: SmallPackage;
let mirror: Mirror;
let receiver: Receiver;
const folder = scratch();
beforeAll(async () => {
  small = createSmallPackage(join(folder.path, "package"), []);
  mirror = await startMirror(small.snapshots);
  receiver = await startReceiver(status(204));
});
afterAll(async () => {
  await mirror.close();
  await receiver.close();
  folder.remove();
});

const ONE = "first-throw-away.com";
const TWO = "second-throw-away.com";
const runProcess = (args: readonly string[]): Promise<RunResult> =>
  runProgram(process.execPath, [small.command, ...args]);
const daemonOf = (args: readonly string[], home: string): Promise<Daemon> =>
  startDaemon(args, { home, command: small.command });
const LOOPBACK = ["--allow-private", "127.0.0.0/8"];

interface ReceivedEvent {
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
}
const eventsOf = (type: string): ReceivedEvent[] =>
  receiver.received.map(({ body }) => JSON.parse(body) as ReceivedEvent).filter((event) => event.type === type);

it("serve --update-lists installs new lists, notifies channels, and reports a failure once", async () => {
  const home = join(folder.path, "own");
  const config = ["--type", "webhook", "--config", `url=${receiver.url}/hook`];
  const created = await runProcess(["channels", "create", "--json", "--home", home, "--name", "ops", ...config]);
  const { id } = JSON.parse(created.stdout.toString()) as { id: string };
  expect((await runProcess(["channels", "test", "--home", home, id, ...LOOPBACK])).status).toBe(0);
  mirror.texts.set("D", `${mirror.texts.get("D")}${ONE}\n`);
  const daemon = await daemonOf(["--update-lists", "10s", ...mirror.options(["D"]), "--dns", "off", ...LOOPBACK], home);
  const isDisposable = async (name: string): Promise<boolean | undefined> => {
    const { json } = await send(daemon.port, "GET", `/api/v1/emails/detect?email=a@${name}`);
    return (json["data"] as { disposable?: boolean } | undefined)?.disposable;
  };
  await expect.poll(() => isDisposable(ONE)).toBe(true);
  await expect.poll(() => eventsOf("lists.updated").length).toBeGreaterThan(0);
  const [updated] = eventsOf("lists.updated");
  expect(updated?.data).toMatchObject({ disposable_added: 1, disposable_removed: 0 });
  mirror.misbehaviors.set("D", (response) => void response.writeHead(503).end());
  await expect.poll(() => eventsOf("lists.update_failed").length).toBeGreaterThan(0);
  const [failed] = eventsOf("lists.update_failed");
  expect(failed?.data).toMatchObject({
    data_version: updated?.data["data_version"],
    reason: expect.stringContaining("503"),
  });
  await expect.poll(() => daemon.log().split("the lists were not updated").length).toBeGreaterThan(2);
  expect(eventsOf("lists.update_failed")).toHaveLength(1);
  expect(await isDisposable(ONE)).toBe(true);
  expect(await daemon.stop()).toBe(143);
  mirror.reset();
});

it("during list updates, each response uses either the old or the new lists", async () => {
  const home = join(folder.path, "loop");
  const daemon = await daemonOf(["--dns", "off"], home);
  const first = mirror.texts.get("D");
  const body = { emails: Array.from({ length: 100 }, (_, i) => `a@${i % 2 === 0 ? ONE : TWO}`) };
  let running = true;
  let latest = "";
  const load = async (): Promise<number> => {
    let responses = 0;
    while (running) {
      const { status: code, json } = await send(daemon.port, "POST", "/api/v1/emails/detect", { body });
      expect(code).toBe(200);
      const verdicts = (json["data"] as { disposable: boolean }[]).map(({ disposable }) => disposable);
      const [one, two] = verdicts;
      // The mirror never lists both domains. Both, or different results in a batch, would mean a mixture of lists.
      latest = `${one} ${two}`;
      expect(verdicts).toEqual(body.emails.map((_, i) => (i % 2 === 0 ? one : two)));
      expect(one && two).toBe(false);
      responses += 1;
    }
    return responses;
  };
  const loads = [load(), load(), load()];
  await expect.poll(() => latest).toBe("false false");
  for (let round = 0; round < 4; round += 1) {
    mirror.texts.set("D", `${first}${round % 2 === 0 ? ONE : TWO}\n`);
    const { status: code } = await runProcess(["lists", "update", "--home", home, ...mirror.options(["D"])]);
    expect(code).toBe(0);
    await expect.poll(() => latest).toBe(round % 2 === 0 ? "true false" : "false true");
  }
  running = false;
  const responses = (await Promise.all(loads)).reduce((sum, count) => sum + count, 0);
  expect(responses).toBeGreaterThan(50);
  expect(daemon.log()).not.toContain("can't be used");
  await daemon.stop();
});
