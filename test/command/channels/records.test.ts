// Tests `addrsift channels`: records that equal the API's, and secrets that are read from files and never printed.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { CHANNEL_TYPES } from "../../../src/channels/kinds.ts";
import { startMailServer } from "../../helpers/mail-server.ts";
import { expectOneLine, linesOf, type RunInput, type RunResult, run, scratch } from "../../helpers/run.ts";

let files: ReturnType<typeof scratch>;
let home: string;
const folder = process.cwd();
beforeEach(() => {
  files = scratch();
  // So that @FILE can be a relative path, as people write it.
  process.chdir(files.path);
  home = join(files.path, "home");
});
afterEach(() => {
  process.chdir(folder);
  files.remove();
});

const SECRET = `whsec_${Buffer.alloc(32, 7).toString("base64")}`;

function channels(line: string, input: RunInput = {}): Promise<RunResult> {
  return run(`channels ${line}`, { ...input, env: { ADDRSIFT_HOME: home, ...input.env } });
}

async function runJson(line: string, input: RunInput = {}) {
  const { status, stdout, stderr } = await channels(`${line} --json`, input);
  expect({ status, stderr: stderr.toString() }).toEqual({ status: 0, stderr: "" });
  expect(linesOf(stdout)).toHaveLength(1);
  return JSON.parse(stdout.toString());
}

const CREATE = "create --name ops --type webhook";

/** Returns a channel's record in the store. */
function storedChannel(id: string) {
  return JSON.parse(readFileSync(join(home, "store.json"), "utf8")).collections.channels.records[id];
}

const DIGESTS = ["url_digest", "secret_digest"];

it("channels create --json prints the generated secret, which channels get redacts", async () => {
  const created = await runJson(`${CREATE} --config url=https://hooks.example.com/in`);
  const { message, ...channel } = created;
  expect(Object.keys(channel)).toEqual(["id", "name", "type", "config", "is_verified", "created_at", ...DIGESTS]);
  expect(message).toBe("test the channel to verify it");
  const { secret } = storedChannel(created.id).config;
  expect(created.config).toEqual({ url: "https://hooks.example.com/[redacted]", secret });
  const shown = await runJson(`get ${created.id}`);
  expect(shown).toEqual({ ...channel, config: { ...created.config, secret: "[redacted]" } });
});

it("channels create without --json prints fields and the next step", async () => {
  const { stdout } = await channels("create --name later --type email");
  expect(stdout.toString()).toMatch(
    /^id +ch_\S+\nname +later\ntype +email\nverified +no\ncreated \(UTC\) +\S+ \S+\nto do +config\.address is missing: [^\n]+\n$/,
  );
});

it("channels create reads secrets from files and standard input", async () => {
  files.file("secret", `${SECRET}\n`);
  files.file("url", "https://user:PASSWORD@hooks.example.com/T0KEN?key=QUERY\r\n");
  const secrets = "--config secret=@secret --config url=@url --config headers.X-Key=@-";
  const stdin = [Buffer.from("HEADER"), Buffer.from("VALUE\n")];
  const created = await runJson(`${CREATE} ${secrets} --config events=lists.updated,channel.test`, { stdin });
  expect(storedChannel(created.id).config).toEqual({
    url: "https://user:PASSWORD@hooks.example.com/T0KEN?key=QUERY",
    headers: { "X-Key": "HEADERVALUE" },
    secret: SECRET,
    events: ["channel.test", "lists.updated"],
  });
  const commands = [`get ${created.id}`, "list", "list --json", `get ${created.id} --json`];
  const outputs = (await Promise.all(commands.map((line) => channels(line)))).map(
    ({ stdout, stderr }) => `${stdout}${stderr}`,
  );
  for (const text of [JSON.stringify(created), ...outputs])
    expect(text).not.toMatch(/PASSWORD|T0KEN|QUERY|HEADERVALUE|BwcHBwcH/);
});

it("channels create accepts a mail address at an allowed domain, and rejects one at a denied domain", async () => {
  const create = async (address: string): Promise<unknown> =>
    (await channels(`create --name a --type email --config address=${address}`)).status;
  const runLists = async (line: string): Promise<number> => (await run(`lists ${line} --home ${home}`)).status;
  expect(await runLists("allow mailinator.com --reason ours")).toBe(0);
  expect(await runLists("deny example.org --reason fakes")).toBe(0);
  expect([await create("a@mailinator.com"), await create("a@example.org")]).toEqual([0, 2]);
  expect(await runLists("overrides --remove mailinator.com --remove example.org")).toBe(0);
  expect(await create("a@example.org")).toBe(0);
  const result = await channels("create --name a --type email --config address=a@mailinator.com");
  expectOneLine(result, /^addrsift: config\.address: the domain is disposable, /);
});

it("channels create --type email warns if no mail server is set, and otherwise sends a mail", async () => {
  const call = "create --name a --type email --config address=a@example.org";
  expect((await runJson(call)).message).toMatch(/ADDRSIFT_SMTP_URL/);
  const server = await startMailServer();
  const env = { ADDRSIFT_SMTP_URL: server.url, ADDRSIFT_SMTP_FROM: "a@example.org" };
  const { message, ...created } = await runJson(call, { env });
  expect(message).toMatch(/^the channel a \(ch_\w+\) has the same address; a message was sent to the address: /);
  expect(server.recipients).toEqual(["a@example.org"]);
  expect(created).toEqual(await runJson(`get ${created.id}`, { env }));
  expect(created.verification_expires_at).toBeDefined();
  server.refuse = () => 550;
  const refused = await runJson("create --name b --type email --config address=b@example.org", { env });
  expect(refused.message).toContain(refused.verification_error);
  const { stdout } = await channels("create --name b --type email --config address=c@example.org", { env });
  expect(stdout.toString()).toMatch(/^to do .*\(550\)/m);
  expect(stdout.toString()).not.toMatch(/^verification error /m);
  await server.close();
});

const PLAIN = "T0KEN";
it.each([
  [`secret=${PLAIN}`, /^addrsift: --config secret is a secret, .*: write it to a file .*secret=@FILE, or =@-/],
  [`headers.X-Key=${PLAIN}`, /^addrsift: --config headers\.X-Key is a secret, .*headers\.X-Key=@FILE/],
  [`url=https://x.example/?key=${PLAIN}`, /^addrsift: --config url has credentials or a query, .*url=@FILE/],
  [`url=https://${PLAIN}@x.example/`, /^addrsift: --config url has credentials or a query/],
  [`url=x.example?${PLAIN}`, /^addrsift: --config url has credentials or a query/],
  [PLAIN, /^addrsift: --config must be KEY=VALUE, /],
  [`=${PLAIN}`, /^addrsift: --config must be KEY=VALUE, /],
  ["url=@nothing", /^addrsift: can't read nothing for --config url: there is no such file/],
  ["url=@.", /^addrsift: can't read \. for --config url: it is a directory/],
  ["url=@latin1", /^addrsift: latin1 for --config url is not UTF-8: /],
  ["url=@long", /^addrsift: long is too long for --config url: /],
  ["url=@- --config secret=@-", /^addrsift: standard input is used twice: /],
  ["url=https://x.example/ --config headers.Host=@long.txt", /^addrsift: can't read long\.txt /],
])("channels create rejects --config %s without quoting the value", async (config, line) => {
  files.file("latin1", Uint8Array.of(0x68, 0xe4, 0x0a));
  files.file("long", "x".repeat(70_000));
  files.file("word", PLAIN);
  const result = await channels(`${CREATE} --config ${config}`);
  expectOneLine(result, line);
  expect(result.stderr.toString()).not.toContain(PLAIN);
});

it.each([
  ["--type email", /^addrsift: --name is missing: add --name NAME/],
  ["--name a", `addrsift: --type is missing: add --type TYPE, from ${CHANNEL_TYPES.join(", ")}\n`],
  ["--type email --name ", /^addrsift: name is blank or too long: /],
  ["--name a --type email --team a/b", /^addrsift: --team is not a team name: /],
])("channels create rejects %s", async (options, line) => expectOneLine(await channels(`create ${options}`), line));

it("channels update changes only the given fields", async () => {
  files.file("secret", SECRET);
  files.file("key", "HEADERVALUE");
  const config = "--config url=https://x.example/in --config secret=@secret --config headers.X-Key=@key";
  const { id } = await runJson(`${CREATE} ${config}`);
  await runJson(`update ${id} --name alerts --config events=lists.updated`);
  const more = { headers: { "X-Key": "HEADERVALUE" }, events: ["lists.updated"] };
  const unchanged = { url: "https://x.example/in", secret: SECRET };
  expect(storedChannel(id)).toMatchObject({ name: "alerts", config: { ...unchanged, ...more } });
  await runJson(`update ${id} --unset headers.x-key --unset events`);
  expect(storedChannel(id).config).toEqual(unchanged);
  const moved = await runJson(`update ${id} --config url=https://y.example/in`);
  expect(storedChannel(id).config).toEqual({ url: "https://y.example/in", secret: moved.config.secret });
  expect(moved.config.secret).not.toBe(SECRET);
});

it.each([
  ["", /^addrsift: there is nothing to change: give --name, --config, --unset or --revoke-previous\n$/],
  [" --unset url --config url=https://x.example/", /^addrsift: --unset url: the key is given twice: keep one\n$/],
  [" --unset secret --unset secret", /^addrsift: --unset secret: the key is given twice: keep one\n$/],
  [" --config enabled=true --config enabled=false", /^addrsift: --config enabled: the key is given twice: keep one\n$/],
  [" --unset evnts", /^addrsift: --unset evnts: the channel has no such key: did you mean events\?\n$/],
  [" --unset EVENTS", /did you mean events\?\n$/],
  [" --unset headers.X-Nope", /^addrsift: --unset headers\.X-Nope: the channel has no such key: use url, /],
  [" --config url=https://x.example:22/", /^addrsift: config\.url: port 22 is not for HTTP: use another\n$/],
  [" --config type=email", /^addrsift: config\.type is not a field of type webhook: /],
])("channels update rejects ID%s", async (options, line) => {
  const { id } = await runJson(CREATE);
  expectOneLine(await channels(`update ${id}${options}`), line);
});

it("channels delete reports success on standard error, or prints the channel with --json", async () => {
  const [one, two] = [await runJson(CREATE), await runJson(CREATE)];
  const deleted = await channels(`delete ${one.id}`);
  const line = `addrsift: ${one.id} (ops) is deleted\n`;
  expect([deleted.status, deleted.stdout.toString(), deleted.stderr.toString()]).toEqual([0, "", line]);
  expect(await runJson(`delete ${two.id}`)).toMatchObject({ id: two.id });
  expect((await channels("list --json")).stdout.toString()).toBe("[]\n");
  expect((await channels("list")).stdout.toString()).toBe("");
});

it("channels list prints a table", async () => {
  const { id } = await runJson(`${CREATE} --config url=https://x.example/in`);
  const [head, ...rows] = linesOf((await channels("list")).stdout);
  expect(head).toMatch(/^ID +NAME +TYPE +TO +VERIFIED +EVENTS +CREATED \(UTC\) +LAST DELIVERY \(UTC\)$/);
  const row = new RegExp(`^${id} +ops +webhook +https://x\\.example/\\[redacted\\] +no +all +\\S+ \\S+ *$`);
  expect(rows).toEqual([expect.stringMatching(row)]);
});

it.each([
  ["webhook", "url"],
  ["mattermost", "url"],
  ["email", "address"],
])("channels list and get name the missing field of a channel of type %s", async (type, field) => {
  const remedy = `config.${field} is missing: update the channel to add it`;
  const { id } = await runJson(`create --name empty --type ${type}`);
  expect((await channels("list")).stdout.toString()).toContain(`  ${remedy}  `);
  expect((await channels(`get ${id}`)).stdout.toString()).toMatch(new RegExp(`\nto do +${remedy}\n$`));
  expect(await runJson(`get ${id}`)).not.toHaveProperty("message");
});

it("channels get shows the command that verifies the channel", async () => {
  const { id } = await runJson(`${CREATE} --config url=https://x.example/in --team ops`);
  const { stdout } = await channels(`get ${id} --team ops`);
  expect(stdout.toString()).toMatch(new RegExp(`\nverify by +addrsift channels test ${id} --team ops\n$`));
});

it.each([
  ["mail settings", "ops@example.org", {}],
  [
    "a plausible address",
    "ops@gmial.com",
    { ADDRSIFT_SMTP_URL: "smtp://127.0.0.1:1", ADDRSIFT_SMTP_FROM: "a@example.org" },
  ],
])("without %s, channels create and get name no message that verifies the channel", async (_, address, env) => {
  const created = (
    await channels(`create --name ops --type email --config address=${address}`, { env })
  ).stdout.toString();
  const id = /ch_\S+/.exec(created)?.[0];
  for (const text of [created, (await channels(`get ${id}`, { env })).stdout.toString()]) {
    expect(text).toMatch(new RegExp(`\nemail a link by +addrsift channels test ${id}\n$`));
    expect(text).not.toContain("verify by");
  }
});

it("a channel's name in place of its id is rejected with the id", async () => {
  const { id } = await runJson(`${CREATE} --team ops`);
  const line = `addrsift: there is no channel ops in the team ops: the one of that name is ${id}\n`;
  expectOneLine(await channels("get ops --team ops"), line);
  const { stderr } = await run("detect --notify ops a@b.c", { env: { ADDRSIFT_HOME: home } });
  expect(stderr.toString()).toContain(`--notify ops: there is no such channel: the one of that name is ${id}\n`);
});

it("channels get, delete and update suggest the team of another team's channel", async () => {
  const { id } = await runJson(`${CREATE} --team ops`);
  const problem = (ref: string): string => `addrsift: there is no channel ${ref} in the team default`;
  for (const call of [`get ${id}`, `delete ${id}`, `update ${id} --name x`])
    expectOneLine(await channels(call), `${problem(id)}: add --team ops\n`);
  expectOneLine(await channels("get ch_x"), `${problem("ch_x")}: see addrsift channels list\n`);
  expect((await runJson(`get ${id} --team ops`)).id).toBe(id);
});
