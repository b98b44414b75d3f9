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
  // A loopback address: the sender refuses it, so that a test of the channel sends nothing.
  url: "http://S3CR3T-user:S3CR3T-password@127.0.0.1:9/S3CR3T-path?token=S3CR3T-query#S3CR3T-fragment",
  secret: SIGNING,
  headers: { "X-Key": "S3CR3T-header", Authorization: "Bearer S3CR3T-bearer" },
};

const chatUrl = (chat: Chat): string => `http://127.0.0.1:9${SERVICES[chat].path}`;

const files = scratch();
const home = join(files.path, "home");
let daemon: Daemon;
let key = "";
/** Everything that came out. */
const seen: { readonly what: string; readonly text: string }[] = [];

async function command(line: string): Promise<string> {
  seen.push({ what: "arguments", text: line });
  const { stdout, stderr } = await run(`${line.replaceAll("=@", `=@${files.path}/`)} --home ${home}`);
  seen.push({ what: line, text: `${stdout}${stderr}` });
  return stdout.toString();
}

async function call(
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<string> {
  const sent = { authorization: `Bearer ${key}`, "content-type": "application/json", ...headers };
  const text = body === undefined ? undefined : typeof body === "string" ? body : JSON.stringify(body);
  const reply = await send(daemon.port, method, path, { headers: sent, ...(text === undefined ? {} : { body: text }) });
  seen.push({ what: `${method} ${path}`, text: JSON.stringify(reply.headers) + reply.text });
  return reply.text;
}

beforeAll(async () => {
  const scopes = "create,read,update,delete,test".split(",").map((name) => `notifications:${name}`);
  const made = await run(["keys", "create", "--name", "ops", "--scopes", scopes.join(","), "--home", home]);
  key = made.stdout.toString().trim();
  daemon = await startDaemon(["--dns", "off", "--log-level", "trace", "--log-addresses"], { home });
});
afterAll(async () => {
  await daemon.stop();
  files.remove();
});

async function throughTheCommandLine(): Promise<void> {
  for (const [name, value] of Object.entries({ url: CONFIG.url, secret: SIGNING, header: "S3CR3T-header" })) {
    files.file(name, `${value}\n`);
  }
  const config = "--config url=@url --config secret=@secret --config headers.X-Key=@header";
  await command(`channels create --name ops --type webhook ${config}`);
  const { id } = JSON.parse(await command(`channels create --name ops --type webhook ${config} --json`));
  for (const call of ["get ID", "get ID --json", "list", "list --json", "update ID --name other"])
    await command(`channels ${call.replace("ID", id)}`);
  for (const one of ["secret=@header", "url=@secret", "headers.X-Key=@missing", "address=@secret"])
    await command(`channels update ${id} --config ${one}`);
  await command(`channels delete ${id} --json`);
  for (const chat of CHATS) {
    files.file("chat", chatUrl(chat));
    const { id } = JSON.parse(await command(`channels create --name chat --type ${chat} --config url=@chat --json`));
    for (const action of ["get", "test", "deliveries"]) await command(`channels ${action} ${id}`);
    await command(`channels update ${id} --config url=@secret`);
  }
  for (const call of ["channels list", "keys list", "keys list --json"]) await command(call);
}

async function throughTheApi(): Promise<void> {
  const made = await call("POST", PATH, { name: "ops", type: "webhook", config: CONFIG });
  const { id } = JSON.parse(made) as { id: string };
  const one = `${PATH}/${id}`;
  for (const path of [PATH, one, `${one}/deliveries`, "/metrics", "/healthz", "/readyz", "/openapi.json"])
    await call("GET", path);
  await call("PATCH", one, { name: "other" });
  for (const chat of CHATS) {
    const { id: other } = JSON.parse(
      await call("POST", PATH, { name: "chat", type: chat, config: { url: chatUrl(chat) } }),
    ) as { id: string };
    await call("POST", `${PATH}/${other}/test`, "");
    await call("GET", `${PATH}/${other}/deliveries`);
    await call("PATCH", `${PATH}/${other}`, { config: { url: `${chatUrl(chat)}/S3CR3T` } });
    for (const type of CHATS) await call("POST", PATH, { name: "a", type, config: { url: `${chatUrl(chat)}/S3CR3T` } });
  }
  const wrong: unknown[] = [
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
  for (const body of wrong) {
    await call("PATCH", one, body);
    await call("POST", PATH, body);
  }
  await call("POST", PATH, CONFIG, { "content-type": "text/plain" });
  await call("POST", `${one}/test`, "");
  await call("POST", `${one}/verification`, "");
  await call("DELETE", `${one}?secret=S3CR3T-query`);
}

async function withKeysThatAreNone(): Promise<void> {
  const mistyped = key.slice(0, -1) + (key.endsWith("0") ? "1" : "0");
  const wrong = [`Bearer ${mistyped}`, `Bearer ${key} `, `Basic ${key}`, key, `Bearer ${key}, Bearer ${key}`];
  for (const authorization of wrong) await call("GET", PATH, undefined, { authorization });
  await call("GET", `${PATH}/${key}`);
  await call("GET", `/verify/${key}`);
}

it("secrets never appear in output, logs or errors", async () => {
  await throughTheCommandLine();
  await throughTheApi();
  await withKeysThatAreNone();
  await daemon.stop();
  seen.push({ what: "the log", text: daemon.log() });
  expect(seen.length).toBeGreaterThan(80);
  const secrets = /S3CR3T|UzNDUjNU/;
  expect(seen.filter(({ text }) => secrets.test(text))).toEqual([]);
  expect(seen.filter(({ text }) => text.includes(key) || text.includes(key.slice(5, 25)))).toEqual([]);
  expect(readFileSync(join(home, "store.json"), "utf8")).not.toContain(key.slice(5, 25));
});
