// Load on an HTTP server over kept-alive connections: by wrk where it is installed, else by autocannon. Returns requests
// a second and the 99th percentile of the latency.

import { execFile, spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";

export const CONNECTIONS = 32;

const HAS_WRK = spawnSync("wrk", ["--version"]).error === undefined;

/** The program that makes the load. */
export const GENERATOR = HAS_WRK ? "wrk" : "autocannon";

/**
 * Asks `paths` of a port in turns for so many seconds. All answers must be 200.
 * A `body` makes it a POST.
 */
export async function load(folder, port, seconds, { paths, headers: given = {}, body }) {
  const headers = body === undefined ? given : { ...given, "Content-Type": "application/json" };
  const requests = { paths, headers, body };
  return HAS_WRK ? byWrk(folder, port, seconds, requests) : byAutocannon(port, seconds, requests);
}

async function byWrk(folder, port, seconds, { paths, headers, body }) {
  const script = join(folder, "requests.lua");
  const text = (value) => `"${value.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`;
  const named = Object.entries(headers).map(([name, value]) => `wrk.headers[${text(name)}] = ${text(value)}`);
  writeFileSync(
    script,
    `wrk.method = "${body === undefined ? "GET" : "POST"}"
${named.join("\n")}
${body === undefined ? "" : `wrk.body = ${text(body)}`}
local paths = { ${paths.map(text).join(", ")} }
local requests = {}
local at = 0
function init()
  for i, path in ipairs(paths) do requests[i] = wrk.format(nil, path) end
end
function request()
  at = at % #requests + 1
  return requests[at]
end
`,
  );
  const args = ["-t1", `-c${CONNECTIONS}`, `-d${seconds}s`, "--latency", "-s", script, `http://127.0.0.1:${port}`];
  const { stdout: output } = await promisify(execFile)("wrk", args);
  if (/Non-2xx|Socket errors/.test(output)) throw new Error(`not all requests were answered: ${output}`);
  const [, value, unit] = /99%\s+([\d.]+)(us|ms|s)/.exec(output);
  const p99Ms = Number(value) * { us: 0.001, ms: 1, s: 1000 }[unit];
  return { rate: Number(/Requests\/sec:\s+([\d.]+)/.exec(output)[1]), p99Ms };
}

async function byAutocannon(port, seconds, { paths, headers, body }) {
  const { default: autocannon } = await import("autocannon");
  const method = body === undefined ? "GET" : "POST";
  const requests = paths.map((path) => ({ method, path, headers, ...(body === undefined ? {} : { body }) }));
  const url = `http://127.0.0.1:${port}`;
  const result = await autocannon({ url, connections: CONNECTIONS, duration: seconds, requests });
  if (result.non2xx > 0 || result.errors > 0) throw new Error("not all requests were answered");
  return { rate: result.requests.average, p99Ms: result.latency.p99 };
}
