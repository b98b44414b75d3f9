// A webhook receiver for addrsift's events, without dependencies. It rejects requests whose signature is invalid or older
// than five minutes (Standard Webhooks), and prints each event once.
// Use: WEBHOOK_SECRET=whsec_… PORT=9000 node receiver.mjs
// `addrsift channels create` shows the secret once. The receiver listens on 127.0.0.1; put a proxy that terminates TLS
// in front of it.

import { createHmac, timingSafeEqual } from "node:crypto";
import { createServer } from "node:http";

const { WEBHOOK_SECRET, PORT = "9000" } = process.env;
const key = Buffer.from(WEBHOOK_SECRET.replace("whsec_", ""), "base64");
const seenIds = new Set();

function isGenuine({ "webhook-id": id, "webhook-timestamp": time, "webhook-signature": signatures = "" }, body) {
  if (!(Math.abs(Date.now() / 1000 - Number(time)) < 300)) return false;
  const expected = createHmac("sha256", key).update(`${id}.${time}.`).update(body).digest();
  return signatures.split(" ").some((signature) => {
    const digest = Buffer.from(signature.replace("v1,", ""), "base64");
    return digest.length === expected.length && timingSafeEqual(digest, expected);
  });
}

createServer(async (request, response) => {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const body = Buffer.concat(chunks);
  if (!isGenuine(request.headers, body)) return response.writeHead(401).end();
  response.writeHead(204).end();
  const id = request.headers["webhook-id"];
  // An event may be sent twice, with the same id.
  if (seenIds.has(id)) return;
  seenIds.add(id);
  const { type, data } = JSON.parse(body);
  console.log(type, JSON.stringify(data));
}).listen(Number(PORT), "127.0.0.1");
