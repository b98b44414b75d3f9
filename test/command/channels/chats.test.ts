// Channels of chat services through the real command, against stand-ins that check what they are sent.

import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { answers, CHATS, type Chat, SERVICES, serviceAnswer } from "../../helpers/chat-services.ts";
import { type Receiver, startReceiver } from "../../helpers/receiver.ts";
import { type RunInput, type RunResult, run, scratch } from "../../helpers/run.ts";

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

function call(args: readonly string[], input: RunInput = {}): Promise<RunResult> {
  const env = { ADDRSIFT_HOME: join(files.path, "home"), ADDRSIFT_ALLOW_PRIVATE: "127.0.0.0/8" };
  return run(args, { ...input, env });
}

async function done<T>(...args: string[]): Promise<T> {
  const { status, stdout, stderr } = await call([...args, "--json"]);
  expect({ status, stderr: stderr.toString() }).toEqual({ status: 0, stderr: "" });
  return JSON.parse(stdout.toString()) as T;
}

async function failed(...args: string[]): Promise<string> {
  const { status, stdout, stderr } = await call(args);
  expect({ status, stdout: stdout.toString() }).toEqual({ status: 2, stdout: "" });
  return stderr.toString();
}

interface Shown {
  readonly id: string;
  readonly is_verified: boolean;
  readonly config: Readonly<Record<string, unknown>>;
}

function create(chat: Chat): Promise<Shown> {
  const url = files.file("url", `${receiver.url}${SERVICES[chat].path}\n`);
  return done("channels", "create", "--name", "chat", "--type", chat, "--config", `url=@${url}`);
}

// The answer of a service whose webhook was deleted.
const DELETED = {
  slack: answers(404, "no_service"),
  msteams: answers(404, '{"error":{"code":"WorkflowNotFound","message":"x"}}'),
  discord: answers(404, '{"message":"Unknown Webhook","code":10015}'),
};
const OTHER_PAGE = answers(200, "<html>Webhook message delivery failed with error: sign in</html>");

describe.each(CHATS)("a channel of type %s", (chat) => {
  it("a channel of type %s is verified only when the service took the test, and gets events until its webhook is deleted", async () => {
    const { id, config, is_verified } = await create(chat);
    expect({ config, is_verified }).toEqual({
      config: { url: `http://127.0.0.1:${receiver.port}/[redacted]` },
      is_verified: false,
    });
    receiver.answer = OTHER_PAGE;
    expect(await failed("channels", "test", id)).toMatch(
      /^addrsift: (?:the webhook answered 200, but not|Teams refused)/,
    );
    expect(await done("channels", "get", id)).toMatchObject({ is_verified: false });
    const refused: string[] = [];
    receiver.answer = serviceAnswer(chat, refused);
    expect(await done("channels", "test", id)).toMatchObject({ is_verified: true });

    const run = await call(["detect", "--notify", id], { stdin: "jane@gmail.com\nbroken@\n" });
    expect({ status: run.status, stderr: run.stderr.toString() }).toEqual({ status: 0, stderr: "" });
    expect(refused).toEqual([]);
    const body = receiver.received.at(-1)?.body ?? "";
    expect(body).toContain("2 rows were classified");
    for (const part of ["jane", "gmail", "broken@"]) expect(body).not.toContain(part);

    receiver.answer = DELETED[chat];
    const last = await call(["detect", "--notify", id], { stdin: "jane@gmail.com\n" });
    expect(last.stderr.toString()).toMatch(/was not notified: .+ answered 404 \(\w+\)/);
    expect(await done("channels", "get", id)).toMatchObject({ is_verified: false });
    expect(await done("channels", "deliveries", id)).toMatchObject([
      { status: "failed", attempts: 1 },
      { status: "delivered" },
      { status: "delivered", event: "channel.test" },
      { status: "failed", event: "channel.test" },
    ]);
  });

  it("has a url that may not be an argument, at creation and at a change", async () => {
    const config = ["--config", `url=https://chat.example.com${SERVICES[chat].path.replace(/\?.*/, "")}`];
    const why = /^addrsift: --config url of a chat service is a secret, .+ give --config url=@FILE/;
    expect(await failed("channels", "create", "--name", "chat", "--type", chat, ...config)).toMatch(why);
    const { id } = await create(chat);
    expect(await failed("channels", "update", id, ...config)).toMatch(why);
  });
});

// Each takes Slack's messages and has its own answer.
it.each([
  ["mattermost", "/hooks/xxxxxxxxxxxxxxxxxxxxxxxxxx", "ok"],
  ["rocketchat", "/hooks/5f0000000000000000000000/xxxxxxxxxxxxxxxxxxxx", '{"success":true}'],
])("a channel of type %s keeps its type, and gets Slack's messages", async (type, path, answer) => {
  const url = files.file("url", `${receiver.url}${path}`);
  const make = ["channels", "create", "--name", "chat", "--type", type, "--config"];
  const made = await done<Shown>(...make, `url=@${url}`);
  expect(made).toMatchObject({ type });
  const refused: string[] = [];
  receiver.answer = (response, request) => {
    refused.push(...SERVICES.slack.problems(JSON.parse(request.body)));
    response.end(answer);
  };
  expect(await done("channels", "test", made.id)).toMatchObject({ type, is_verified: true });
  expect(refused).toEqual([]);
  expect(receiver.received.at(-1)?.url).toBe(path);
  const slack = files.file("slack", "https://hooks.slack.com/services/T0/B0/x");
  expect(await failed(...make, `url=@${slack}`)).toMatch(/is of another service: make a channel of type slack/);
});

describe("a url of a chat service", () => {
  it.each(["https://hooks.slack.com/services/T0/B0/x", "https://discord.com/api/webhooks/1/x"])(
    "%s is a secret for a webhook too",
    async (url) => {
      const args = ["channels", "create", "--name", "hook", "--type", "webhook", "--config", `url=${url}`];
      expect(await failed(...args)).toMatch(/of a chat service is a secret/);
    },
  );
});
