// The bare servers that the daemon is measured against: node:http with a constant answer of six bytes, or one like a
// detection's, with the same headers.
//   node test/bench/hello.mjs hello|alike PORT

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

// With its length: without it, Node sends chunks, which costs more.
const ANSWERS = {
  hello: (response) => {
    response.writeHead(200, { "Content-Type": "text/plain", "Content-Length": 6 });
    response.end("hello\n");
  },
  alike: (response) => {
    count += 1;
    const headers = ["Content-Type", "application/json", "Content-Length", String(DETECTION.length)];
    headers.push("Cache-Control", "no-store", "X-Content-Type-Options", "nosniff");
    headers.push("X-Request-Id", `0123456789ab-${count.toString(36)}`);
    response.writeHead(200, headers);
    response.end(DETECTION, "latin1");
  },
};

const [kind, port] = process.argv.slice(2);
const answer = ANSWERS[kind];
createServer((_request, response) => answer(response)).listen(Number(port), "127.0.0.1");
