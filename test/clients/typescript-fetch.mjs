// Uses the generated TypeScript client: detects, streams, creates a webhook, reads its secret, changes and deletes it.
//   typescript-fetch.mjs CLIENT URL KEY, with the client as one bundled file

import assert from "node:assert/strict";
import { pathToFileURL } from "node:url";

const [client, url, key] = process.argv.slice(2);
const { ChannelsApi, Configuration, DetectionApi } = await import(pathToFileURL(client));
const configuration = new Configuration({ basePath: url, accessToken: key });
const detection = new DetectionApi(configuration);
const channels = new ChannelsApi(configuration);

const { data: one } = await detection.detectAddress({ email: "jane+news@mailinator.com", explain: true });
assert.equal(one.disposable, true);
assert.equal(one.normalized, "jane@mailinator.com");
assert.equal(one.explain.matches[0].entry, "mailinator.com");
const { data: spaced } = await detection.detectAddress({ email: "jane doe@gmail.com" });
assert.equal(spaced.syntaxValidation, false);

const { data: many } = await detection.detectAddresses({ detectionBatch: { emails: ["jane@gmail.com", "broken@"] } });
assert.deepEqual(
  many.map(({ syntaxValidation }) => syntaxValidation),
  [true, false],
);
assert.equal((await detection.detectDomain({ domain: "gmail.com" })).data.publicDomain, true);
await assert.rejects(detection.detectAddress({ email: "" }), ({ response }) => response.status === 400);

const rows = await detection.streamAddresses({ body: "jane@gmail.com\njoe@mailinator.com\n", fields: ["disposable"] });
assert.deepEqual(
  rows
    .trim()
    .split("\n")
    .map((row) => JSON.parse(row).disposable),
  [false, true],
);

const config = { url: "https://hooks.example.com/in", events: ["lists.updated"] };
const created = await channels.createChannel({ channelCreation: { name: "ops", type: "webhook", config } });
assert.match(created.config.secret, /^whsec_/);
const { id } = created;
assert.equal((await channels.getChannel({ id })).config.secret, "[redacted]");
const changed = await channels.updateChannel({ id, channelChange: { name: "operations" } });
assert.deepEqual([changed.name, changed.isVerified], ["operations", false]);
assert.equal((await channels.listChannels()).data.length, 1);
assert.equal((await channels.deleteChannel({ id })).id, id);
await assert.rejects(channels.getChannel({ id }), ({ response }) => response.status === 404);

console.log("detected, streamed, created a webhook, read its secret, changed and deleted it");
