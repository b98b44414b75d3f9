// Tests channels of chat services with the real command, against stand-ins that validate each message.

import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { CHATS, type Chat, respondAsService, respondWith, SERVICES } from "../../helpers/chat-services.ts";
import { type Receiver, startReceiver } from "../../helpers/receiver.ts";
import { expectRefused, outputOf, run, scratch } from "../../helpers/run.ts";

let receiver: Receiver;
let files: ReturnType<typeof scratch>;
beforeEach(async () => {
  receiver = await startReceiver();
  files = scratch();
});
afterEach(async () => {
  files.remove();
  await receiver.close();
});

const environment = (): Record<string, string> => ({
  ADDRSIFT_HOME: join(files.path, "home"),
  ADDRSIFT_ALLOW_PRIVATE: "127.0.0.0/8",
});

const runJson = async (line: string) => JSON.parse(await outputOf(`${line} --json`, { env: environment() }));
const expectError = (line: string, message: string | RegExp): Promise<void> =>
  expectRefused(line, message, { env: environment() });

function create(chat: Chat) {
  const url = files.file("url", `${receiver.url}${SERVICES[chat].path}\n`);
  return runJson(`channels create --name chat --type ${chat} --config url=@${url}`);
}

// Responses of services whose webhook was deleted.
const DELETED = {
  slack: respondWith(404, "no_service"),
  msteams: respondWith(404, '{"error":{"code":"WorkflowNotFound","message":"x"}}'),
  discord: respondWith(404, '{"message":"Unknown Webhook","code":10015}'),
  googlechat: respondWith(404, '{"error":{"code":404,"status":"NOT_FOUND"}}'),
};
const OTHER_PAGE = respondWith(200, "<html>Sign in</html>");

describe.each(CHATS)("a channel of type %s", (chat) => {
  it(`a channel of type ${chat} is verified when the service accepts a test, and unverified when its webhook is deleted`, async () => {
    const { id, config, is_verified } = await create(chat);
    expect([config, is_verified]).toEqual([{ url: `http://127.0.0.1:${receiver.port}/[redacted]` }, false]);
    receiver.answer = OTHER_PAGE;
    await expectError(`channels test ${id}`, /^addrsift: the webhook answered 200, but not/);
    expect(await runJson(`channels get ${id}`)).toMatchObject({ is_verified: false });
    const problems: string[] = [];
    receiver.answer = respondAsService(chat, problems);
    expect(await runJson(`channels test ${id}`)).toMatchObject({ is_verified: true });

    await outputOf(`detect --notify ${id}`, { stdin: "jane@gmail.com\nbroken@\n", env: environment() });
    expect(problems).toEqual([]);
    const body = receiver.received.at(-1)?.body ?? "";
    expect(body).toContain("2 rows were classified");
    for (const part of ["jane", "gmail", "broken@"]) expect(body).not.toContain(part);

    receiver.answer = DELETED[chat];
    const last = await run(`detect --notify ${id}`, { stdin: "jane@gmail.com\n", env: environment() });
    expect(last.stderr.toString()).toMatch(/was not notified: .+ answered 404 \(\w+\)/);
    expect(await runJson(`channels get ${id}`)).toMatchObject({ is_verified: false });
    expect(await runJson(`channels deliveries ${id}`)).toMatchObject([
      { status: "failed", attempts: 1 },
      { status: "delivered" },
      { status: "delivered", event: "channel.test" },
      { status: "failed", event: "channel.test" },
    ]);
  });

  it(`channels create and update reject the url of a channel of type ${chat} on the command line`, async () => {
    const config = `--config url=https://chat.example.com${SERVICES[chat].path.replace(/\?.*/, "")}`;
    const message = /^addrsift: --config url of a chat service is a secret, .+ give --config url=@FILE/;
    await expectError(`channels create --name chat --type ${chat} ${config}`, message);
    const { id } = await create(chat);
    await expectError(`channels update ${id} ${config}`, message);
  });
});

// These services accept Slack's messages, but their responses differ.
it.each([
  ["mattermost", "/hooks/xxxxxxxxxxxxxxxxxxxxxxxxxx", "ok"],
  ["rocketchat", "/hooks/5f0000000000000000000000/xxxxxxxxxxxxxxxxxxxx", '{"success":true}'],
])("a channel of type %s keeps its type, and receives Slack messages", async (type, path, answer) => {
  const url = files.file("url", `${receiver.url}${path}`);
  const create = `channels create --name chat --type ${type} --config`;
  const channel = await runJson(`${create} url=@${url}`);
  expect(channel).toMatchObject({ type });
  const problems: string[] = [];
  receiver.answer = (response, request) => {
    problems.push(...SERVICES.slack.problems(JSON.parse(request.body)));
    response.end(answer);
  };
  expect(await runJson(`channels test ${channel.id}`)).toMatchObject({ type, is_verified: true });
  expect(problems).toEqual([]);
  expect(receiver.received.at(-1)?.url).toBe(path);
  const slack = files.file("slack", "https://hooks.slack.com/services/T0/B0/x");
  await expectError(`${create} url=@${slack}`, "belongs to Slack: create a channel of type slack");
});

it.each(["https://hooks.slack.com/services/T0/B0/x", "https://discord.com/api/webhooks/1/x"])(
  "channels create --type webhook rejects the chat service's url %s on the command line",
  async (url) =>
    expectError(`channels create --name hook --type webhook --config url=${url}`, "of a chat service is a secret"),
);
