// Loads an HTTP server over keep-alive connections. Each sends its next request after the complete response.

import { connect } from "node:net";

/**
 * Sends `count` requests for the paths in turn. With a `body` of JSON, they are POST requests. All responses must have
 * status 200 and a Content-Length. Returns requests per second and the 99th percentile of the latency.
 */
export async function load(port, count, { paths, headers = {}, body = "", connections = 32 }) {
  const requests = paths.map((path) => formatRequest(path, headers, body));
  const latencies = new Float64Array(count);
  let sent = 0;
  const runConnection = (resolve, reject) => {
    const socket = connect({ port, host: "127.0.0.1", noDelay: true });
    let [received, startedMs, index] = ["", 0, 0];
    const sendNext = () => {
      if (sent === count) return resolve(socket.destroy());
      index = sent++;
      startedMs = performance.now();
      socket.write(requests[index % requests.length]);
    };
    socket.on("connect", sendNext);
    socket.on("data", (chunk) => {
      received += chunk.latin1Slice();
      if (!isComplete(received)) return;
      if (!received.startsWith("HTTP/1.1 200 ")) return reject(new Error(received));
      latencies[index] = performance.now() - startedMs;
      received = "";
      sendNext();
    });
    socket.on("error", reject).on("close", () => reject(new Error("the server closed a connection")));
  };
  const loadStartMs = performance.now();
  await Promise.all(Array.from({ length: connections }, () => new Promise(runConnection)));
  const rate = count / ((performance.now() - loadStartMs) / 1000);
  return { rate, p99Ms: latencies.sort()[Math.floor(count * 0.99)] };
}

function formatRequest(path, headers, body) {
  const bodyHeaders = { "Content-Type": "application/json", "Content-Length": Buffer.byteLength(body) };
  const all = { Host: "localhost", ...headers, ...(body === "" ? {} : bodyHeaders) };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${body === "" ? "GET" : "POST"} ${path} HTTP/1.1\r\n${lines.join("")}\r\n${body}`;
}

function isComplete(received) {
  const headEnd = received.indexOf("\r\n\r\n");
  if (headEnd < 0) return false;
  const length = /\r\ncontent-length: (\d+)/i.exec(received)[1];
  return received.length === headEnd + 4 + Number(length);
}
