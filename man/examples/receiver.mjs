// A webhook receiver for addrsift's events, without packages. It refuses requests whose signature is wrong or older
// than five minutes (Standard Webhooks), takes each event once, and prints it.
// Use: WEBHOOK_SECRET=whsec_… PORT=9000 node receiver.mjs
// `addrsift channels create` shows the secret once. The receiver listens on 127.0.0.1; put a proxy that ends TLS in
// front.

import { createHmac, timingSafeEqual } from "node:crypto";
import { createServer } from "node:http";

const { WEBHOOK_SECRET, PORT = "9000" } = process.env;
const key = Buffer.from(WEBHOOK_SECRET.replace("whsec_", ""), "base64");
const seen = new Set();

function isGenuine({ "webhook-id": id, "webhook-timestamp": time, "webhook-signature": signatures = "" }, body) {
  if (!(Math.abs(Date.now() / 1000 - Number(time)) < 300)) return false;
  const wanted = createHmac("sha256", key).update(`${id}.${time}.`).update(body).digest();
  return signatures.split(" ").some((signature) => {
    const given = Buffer.from(signature.replace("v1,", ""), "base64");
    return given.length === wanted.length && timingSafeEqual(given, wanted);
  });
}

createServer(async (request, response) => {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const body = Buffer.concat(chunks);
  if (!isGenuine(request.headers, body)) return response.writeHead(401).end();
  response.writeHead(204).end();
  const id = request.headers["webhook-id"];
  // An event may come twice, with the same id.
  if (seen.has(id)) return;
  seen.add(id);
  const { type, data } = JSON.parse(body);
  console.log(type, JSON.stringify(data));
}).listen(Number(PORT), "127.0.0.1");
