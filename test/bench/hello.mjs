// Servers that the daemon is compared with, whose response is always the same detection, with the daemon's headers:
// `detection` with node:http, `fastify` with Fastify, and `fastify-log` also logs.
//   node test/bench/hello.mjs detection|fastify|fastify-log PORT

import { createServer } from "node:http";

const DETECTION = `${JSON.stringify({
  code: "SUCCESS",
  message: "The address was classified.",
  data: {
    email: "first.last+1@mailinator.com",
    syntax_validation: true,
    normalized: "first.last@mailinator.com",
    subaddressing: true,
    role_address: false,
    public_domain: false,
    relay_domain: false,
    disposable: true,
    detection_source: "precomputed",
  },
})}\n`;

let count = 0;

function nextId() {
  count += 1;
  return `0123456789ab-${count.toString(36)}`;
}

function sendDetection(_request, response) {
  const headers = ["Content-Type", "application/json", "Content-Length", String(DETECTION.length)];
  headers.push("Cache-Control", "no-store", "X-Content-Type-Options", "nosniff", "X-Request-Id", nextId());
  response.writeHead(200, headers);
  response.end(DETECTION, "latin1");
}

async function startFastify(port, logger) {
  const { default: fastify } = await import("fastify");
  const app = fastify({ genReqId: nextId, logger });
  app.get("/api/v1/emails/detect", (request, reply) => {
    reply.headers({ "content-type": "application/json", "cache-control": "no-store" });
    reply.headers({ "x-content-type-options": "nosniff", "x-request-id": request.id });
    reply.send(DETECTION);
  });
  await app.listen({ port, host: "127.0.0.1" });
}

const SERVERS = {
  detection: (port) => createServer(sendDetection).listen(port, "127.0.0.1"),
  fastify: (port) => startFastify(port, false),
  "fastify-log": (port) => startFastify(port, { stream: process.stderr }),
};

const [kind, port] = process.argv.slice(2);
await SERVERS[kind](Number(port));
