// Sends requests over a few keep-alive connections with short pauses, as a well-behaved client, and prints the 99th
// percentile of the latencies in milliseconds and the number of failed requests.
//   node test/soak/http-client.mjs PORT SECONDS

import { Agent, request } from "node:http";

const [, , port, seconds] = process.argv.map(Number);
const CONNECTIONS = 4;
const PAUSE_MS = 2;

const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
const latencies = [];
let failures = 0;
const end = performance.now() + seconds * 1000;

function sendRequest(i) {
  const path = `/api/v1/emails/detect?email=good.client+${i}@gmail.com`;
  return new Promise((resolve) => {
    const begin = performance.now();
    const outgoing = request({ host: "127.0.0.1", port, path, agent }, (incoming) => {
      incoming.resume();
      incoming.on("end", () => {
        if (incoming.statusCode === 200) latencies.push(performance.now() - begin);
        else failures += 1;
        resolve();
      });
    });
    outgoing.on("error", () => {
      failures += 1;
      resolve();
    });
    outgoing.end();
  });
}

async function runConnection() {
  for (let i = 0; performance.now() < end; i += 1) {
    await sendRequest(i);
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
}

await Promise.all(Array.from({ length: CONNECTIONS }, runConnection));
agent.destroy();
latencies.sort((a, b) => a - b);
console.log(
  JSON.stringify({ p99Ms: latencies[Math.floor(latencies.length * 0.99)], count: latencies.length, failures }),
);
