// Tests the webhook receivers under man/examples/: they accept each genuine event once, and reject everything else.

import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { connect } from "node:net";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { signWebhook } from "../../src/channels/types/table.ts";
import { freePort } from "../helpers/programs.mjs";
import { outputOf, scratch } from "../helpers/run.ts";

const EXAMPLES = join(import.meta.dirname, "../../man/examples");
const files = scratch();
const children: ChildProcess[] = [];
afterAll(() => {
  for (const child of children) child.kill("SIGKILL");
  files.remove();
});

const python = spawnSync("python3", ["--version"]).error === undefined;
const RECEIVERS: readonly (readonly [string, string, string, boolean])[] = [
  ["Node", "receiver.mjs", process.execPath, true],
  ["Python", "receiver.py", "python3", python],
];

async function waitUntilListening(port: number): Promise<void> {
  const isListening = (): Promise<boolean> =>
    new Promise((resolve) => {
      const socket = connect(port, "127.0.0.1", () => resolve(true)).on("error", () => resolve(false));
      socket.on("connect", () => socket.destroy());
    });
  await expect.poll(isListening).toBe(true);
}

describe.each(RECEIVERS)("the receiver for %s", (name, file, program, isInstalled) => {
  it.skipIf(!isInstalled)(`the example receiver for ${name} accepts signed events once, and no others`, async () => {
    const port = await freePort();
    const env = { ADDRSIFT_HOME: join(files.path, name), ADDRSIFT_ALLOW_PRIVATE: "127.0.0.1" };
    const call = async (line: string): Promise<{ id: string; config: { secret: string } }> =>
      JSON.parse(await outputOf(`channels ${line} --json`, { env }));
    const url = `http://127.0.0.1:${port}/`;
    const { id, config } = await call(`create --name r --type webhook --config url=${url}`);
    const child = spawn(program, [join(EXAMPLES, file)], {
      env: { PATH: process.env["PATH"], WEBHOOK_SECRET: config.secret, PORT: String(port) },
    });
    children.push(child);
    let printed = "";
    child.stdout.on("data", (text) => {
      printed += text;
    });
    await waitUntilListening(port);
    expect(await call(`test ${id}`)).toMatchObject({ is_verified: true });
    await expect.poll(() => printed).toMatch(new RegExp(`^channel.test \\{"channel_id": ?"${id}"\\}\\n$`));

    const body = '{"type":"lists.updated","data":{"n":1}}';
    const send = async (headers: object, text = body): Promise<number> =>
      (await fetch(url, { method: "POST", headers: { ...headers }, body: text })).status;
    const now = Date.now();
    const headers = signWebhook(config.secret, "msg_1", now, body);
    expect(await send(headers)).toBe(204);
    expect(await send(headers)).toBe(204);
    const forged: readonly (readonly [object, string])[] = [
      [headers, `${body} `],
      [{ ...headers, "webhook-id": "msg_2" }, body],
      [{ ...headers, "webhook-signature": "v1,AAAA" }, body],
      [{ ...headers, "webhook-signature": "" }, body],
      [signWebhook(config.secret, "msg_3", now - 600_000, body), body],
      [signWebhook(`whsec_${Buffer.alloc(32).toString("base64")}`, "msg_4", now, body), body],
      [{}, body],
    ];
    for (const [wrongHeaders, text] of forged) expect(await send(wrongHeaders, text)).toBe(401);
    expect(
      await send({ ...headers, "webhook-id": "msg_1", "webhook-signature": `v2,x ${headers["webhook-signature"]}` }),
    ).toBe(204);
    expect(printed.split("\n").filter((line) => line.startsWith("lists.updated"))).toHaveLength(1);
  });
});
