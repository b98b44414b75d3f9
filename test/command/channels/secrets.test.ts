// Tests that secrets of channels and keys appear in no response, listing, error, log line, metric or process argument.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { CHATS, type Chat, SERVICES } from "../../helpers/chat-services.ts";
import { type Daemon, send, startDaemon } from "../../helpers/daemon.ts";
import { run, scratch } from "../../helpers/run.ts";

const PATH = "/api/v1/team/notifications/channels";
const SIGNING = `whsec_${Buffer.from("S3CR3T-signing-bytes-of-no-use!").toString("base64")}`;
const CONFIG = {
  // A loopback address is blocked, so a test of the channel sends nothing.
  url: "http://S3CR3T-user:S3CR3T-password@127.0.0.1:10/S3CR3T-path?token=S3CR3T-query#S3CR3T-fragment",
  secret: SIGNING,
  headers: { "X-Key": "S3CR3T-header", Authorization: "Bearer S3CR3T-bearer" },
};

const chatUrl = (chat: Chat): string => `http://127.0.0.1:10${SERVICES[chat].path}`;

const files = scratch();
const home = join(files.path, "home");
let daemon: Daemon;
let key = "";
/** Every output of commands and of the daemon. */
const outputs: { readonly source: string; readonly text: string }[] = [];

async function command(line: string): Promise<string> {
  outputs.push({ source: "arguments", text: line });
  const { stdout, stderr } = await run(`${line.replaceAll("=@", `=@${files.path}/`)} --home ${home}`);
  outputs.push({ source: line, text: `${stdout}${stderr}` });
  return stdout.toString();
}

async function call(
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<string> {
  const allHeaders = { authorization: `Bearer ${key}`, "content-type": "application/json", ...headers };
  const text = body === undefined ? undefined : typeof body === "string" ? body : JSON.stringify(body);
  const options = { headers: allHeaders, ...(text === undefined ? {} : { body: text }) };
  const reply = await send(daemon.port, method, path, options);
  outputs.push({ source: `${method} ${path}`, text: JSON.stringify(reply.headers) + reply.text });
  return reply.text;
}

beforeAll(async () => {
  const scopes = "create,read,update,delete,test".split(",").map((name) => `notifications:${name}`);
  const created = await run(["keys", "create", "--name", "ops", "--scopes", scopes.join(","), "--home", home]);
  key = created.stdout.toString().trim();
  daemon = await startDaemon(["--dns", "off", "--log-level", "trace", "--log-addresses"], { home });
});
afterAll(async () => {
  await daemon.stop();
  files.remove();
});

async function runCommands(): Promise<void> {
  for (const [name, value] of Object.entries({ url: CONFIG.url, secret: SIGNING, header: "S3CR3T-header" })) {
    files.file(name, `${value}\n`);
  }
  const config = "--config url=@url --config secret=@secret --config headers.X-Key=@header";
  await command(`channels create --name ops --type webhook ${config}`);
  const { id } = JSON.parse(await command(`channels create --name ops --type webhook ${config} --json`));
  for (const call of ["get ID", "get ID --json", "list", "list --json", "update ID --name other"])
    await command(`channels ${call.replace("ID", id)}`);
  for (const setting of ["secret=@header", "url=@secret", "headers.X-Key=@missing", "address=@secret"])
    await command(`channels update ${id} --config ${setting}`);
  await command(`channels delete ${id} --json`);
  for (const chat of CHATS) {
    files.file("chat", chatUrl(chat));
    const { id } = JSON.parse(await command(`channels create --name chat --type ${chat} --config url=@chat --json`));
    for (const action of ["get", "test", "deliveries"]) await command(`channels ${action} ${id}`);
    await command(`channels update ${id} --config url=@secret`);
  }
  for (const call of ["channels list", "keys list", "keys list --json"]) await command(call);
}

async function sendRequests(): Promise<void> {
  const created = await call("POST", PATH, { name: "ops", type: "webhook", config: CONFIG });
  const { id } = JSON.parse(created) as { id: string };
  const channel = `${PATH}/${id}`;
  for (const path of [PATH, channel, `${channel}/deliveries`, "/metrics", "/healthz", "/readyz", "/openapi.json"])
    await call("GET", path);
  await call("PATCH", channel, { name: "other" });
  for (const chat of CHATS) {
    const { id: other } = JSON.parse(
      await call("POST", PATH, { name: "chat", type: chat, config: { url: chatUrl(chat) } }),
    ) as { id: string };
    await call("POST", `${PATH}/${other}/test`, "");
    await call("GET", `${PATH}/${other}/deliveries`);
    await call("PATCH", `${PATH}/${other}`, { config: { url: `${chatUrl(chat)}/S3CR3T` } });
    for (const type of CHATS) await call("POST", PATH, { name: "a", type, config: { url: `${chatUrl(chat)}/S3CR3T` } });
  }
  const invalidBodies: unknown[] = [
    { config: { ...CONFIG, url: CONFIG.url.replace("http", "ftp") } },
    { config: { ...CONFIG, secret: `${SIGNING}=` } },
    { config: { ...CONFIG, headers: { "X-Key": "S3CR3T-header\n" } } },
    { config: { ...CONFIG, headers: { "S3CR3T header": "a" } } },
    { config: { ...CONFIG, [SIGNING]: 1 } },
    { [SIGNING]: CONFIG },
    { type: SIGNING },
    { name: `${SIGNING}\n` },
    { name: "a", type: "email", config: { address: "S3CR3T-user@" } },
    `{"config":{"secret":"${SIGNING}"`,
    `"${SIGNING}"`,
    `{"config":"${"S3CR3T".repeat(20_000)}"}`,
  ];
  for (const body of invalidBodies) {
    await call("PATCH", channel, body);
    await call("POST", PATH, body);
  }
  await call("POST", PATH, CONFIG, { "content-type": "text/plain" });
  await call("POST", `${channel}/test`, "");
  await call("POST", `${channel}/verification`, "");
  await call("DELETE", `${channel}?secret=S3CR3T-query`);
}

async function sendInvalidKeys(): Promise<void> {
  const mistyped = key.slice(0, -1) + (key.endsWith("0") ? "1" : "0");
  const credentials = [`Bearer ${mistyped}`, `Bearer ${key} `, `Basic ${key}`, key, `Bearer ${key}, Bearer ${key}`];
  for (const authorization of credentials) await call("GET", PATH, undefined, { authorization });
  await call("GET", `${PATH}/${key}`);
  await call("GET", `/verify/${key}`);
}

it("keys and channel secrets never appear in output, logs or errors", async () => {
  await runCommands();
  await sendRequests();
  await sendInvalidKeys();
  await daemon.stop();
  outputs.push({ source: "the log", text: daemon.log() });
  expect(outputs.length).toBeGreaterThan(80);
  const secrets = /S3CR3T|UzNDUjNU/;
  expect(outputs.filter(({ text }) => secrets.test(text))).toEqual([]);
  expect(outputs.filter(({ text }) => text.includes(key) || text.includes(key.slice(5, 25)))).toEqual([]);
  expect(readFileSync(join(home, "store.json"), "utf8")).not.toContain(key.slice(5, 25));
});
