// Tests streams over real sockets: the command line's bytes, backpressure both ways, and a failed stream that closes
// its connection.

import { once } from "node:events";
import { type ClientRequest, type IncomingHttpHeaders, type IncomingMessage, request } from "node:http";
import { connect } from "node:net";
import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest";
import { type DeclaredOption, INPUT_OPTIONS, OUTPUT_OPTIONS } from "../../src/bulk/run/option-table.ts";
import { STREAM_PARAMETERS } from "../../src/server/routes/stream/parameters.ts";
import { lists } from "../helpers/classify.ts";
import { type Daemon, makeKey, send, sendRaw, startDaemon, testDaemon } from "../helpers/daemon.ts";
import { startNameServer, TYPE } from "../helpers/name-server.ts";
import { objectsOf, run } from "../helpers/run.ts";

const PATH = "/api/v1/emails/detect";
let daemon: Daemon;
beforeAll(async () => {
  daemon = await startDaemon(["--dns", "off"]);
});
afterAll(async () => {
  await daemon.stop("SIGKILL");
});

/** An open stream: the request to write to, and its response. */
interface OpenStream {
  readonly outgoing: ClientRequest;
  readonly answer: Promise<IncomingMessage>;
}

function open(port: number, type: string, query = "", headers: Readonly<Record<string, string>> = {}): OpenStream {
  const outgoing = request({
    host: "127.0.0.1",
    port,
    method: "POST",
    path: `${PATH}${query === "" ? "" : `?${query}`}`,
    headers: { te: "trailers", "content-type": type, ...headers },
    agent: false,
  });
  const answer = new Promise<IncomingMessage>((resolve, reject) => {
    outgoing.on("response", resolve);
    outgoing.on("error", reject);
  });
  answer.catch(() => {});
  return { outgoing, answer };
}

interface StreamResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  readonly summary: Record<string, unknown>;
  /** Names of the trailer fields. */
  readonly trailers: readonly string[];
  /** Whether the response has its last chunk. */
  readonly isComplete: boolean;
}

async function stream(
  type: string,
  body: string | Uint8Array,
  query = "",
  headers: Readonly<Record<string, string>> = {},
): Promise<StreamResponse> {
  const { outgoing, answer } = open(daemon.port, type, query, headers);
  // Sent without Content-Length, so that the daemon responds while it reads.
  outgoing.write(body);
  outgoing.end();
  return read(await answer);
}

async function read(incoming: IncomingMessage): Promise<StreamResponse> {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
  } catch {
    // The response was truncated.
  }
  const { "addrsift-summary": summary = "{}" } = { ...incoming.headers, ...incoming.trailers };
  return {
    status: incoming.statusCode ?? 0,
    headers: incoming.headers,
    text: Buffer.concat(chunks).toString("utf8"),
    summary: JSON.parse(summary as string) as Record<string, unknown>,
    trailers: Object.keys(incoming.trailers),
    isComplete: incoming.complete,
  };
}

const LINES =
  "jane@gmail.com\r\n\n  joe@mailinator.com \nbad@@example.org\nJane.Doe+x@googlemail.com\nme@duck.com\njürgen@bücher.de";
const CSV = 'id,"e-mail",note\n1,jane@gmail.com,"a\nb"\n2,joe@mailinator.com,c,extra\n3,,\n4,bad@@x\n';
const JSONL =
  '{"id":1,"email":"jane@gmail.com"}\n{"id":2,"email":null}\nbroken\n{"id":3,"email":"joe@mailinator.com"}\n';
const text = "text/plain";
const csv = "text/csv";
const jsonl = "application/x-ndjson";

const version = `data-version=${lists.meta.dataVersion}`;
const utf16 = Buffer.from(`\ufeff${LINES}`, "utf16le");
const latin1 = Buffer.from("name;email\nJ\xfcrgen;j\xfcrgen@example.org\n", "latin1");
const manyLines = Array.from({ length: 20_000 }, (_, i) => `user${i}@host-${i % 700}.example.com\n`).join("");
const streamCases: readonly (readonly [string, string, string | Uint8Array, string, string, string])[] = [
  ["lines", text, LINES, "", "", ""],
  ["lines with a charset", "Text/Plain; charset=UTF-8", LINES, "", "", ""],
  ["no rows", text, "", "", "", ""],
  ["many lines", text, manyLines, "", "", ""],
  ["lines as CSV", text, LINES, "", csv, "--format=csv"],
  ["lines in gzip", text, gzipSync(LINES), "", "", ""],
  ["lines in UTF-16", text, utf16, "", "", ""],
  ["evidence", text, LINES, "explain=true", "", "--explain"],
  ["fields", text, LINES, "fields=fault,row,matched", "", "--fields=fault,row,matched"],
  ["fields given twice", text, LINES, "fields=fault&fields=row", "", "--fields=fault,row"],
  ["a selection", text, LINES, "select=valid&reject=public", "", "--select=valid --reject=public"],
  ["domains", text, "gmail.com\nmailinator.com\nx\n", "domains=true", "", "--domains"],
  ["a policy", text, LINES, "ascii-only=true&dns=off", "", "--ascii-only --dns=off"],
  ["an encoding", csv, latin1, "encoding=windows-1252", "", "--csv --encoding=windows-1252"],
  ["lists of a version", text, LINES, version, "", `--${version}`],
  ["CSV", csv, CSV, "", "", "--csv"],
  ["CSV with a mark", csv, `\ufeff${CSV}`, "", "", "--csv"],
  ["CSV as NDJSON", csv, CSV, "", `text/csv;q=0.5, ${jsonl}`, "--csv --format=ndjson"],
  ["CSV by delimiter", csv, CSV.replaceAll(",", ";"), "", "", "--csv"],
  ["CSV without header", csv, "1,jane@gmail.com\n", "no-header=true&column=2", "", "--csv --no-header --column=2"],
  ["a column with a space", csv, "a b,c\njane@gmail.com,2\n", "column=a+b", "", "--csv --column=a b"],
  ["two columns", csv, "a,b\nx@gmail.com,y@mailinator.com\n", "column=a&column=b", "", "--csv --column=a --column=b"],
  ["two keys", jsonl, '{"a":"x@gmail.com","b":"y"}\n', "column=a&column=b", "", "--jsonl --column=a --column=b"],
  ["a prefix", csv, CSV, "prefix=x_&delimiter=,", "", "--csv --prefix=x_ --delimiter=,"],
  ["a part", csv, "9,joe@mailinator.com\n", "part=true&column=2", "", "--csv --part --column=2"],
  ["a formula", csv, 'email\n"=x"@gmail.com\n', "spreadsheet-safe=true", "", "--csv --spreadsheet-safe"],
  ["JSON Lines", jsonl, JSONL, "", "", "--jsonl"],
  ["one key", jsonl, JSONL, "into=checked", "", "--jsonl --into=checked"],
  ["JSON Lines as CSV", jsonl, JSONL, "column=email", csv, "--jsonl --column=email --format=csv"],
];
it.each(streamCases)(
  "a stream has the same bytes as the command line: %s",
  async (_, type, body, query, accept, options) => {
    const args = options === "" ? [] : options.split(/ (?=--)/);
    const expected = await run(["detect", ...args], { stdin: body });
    const headers: Record<string, string> = accept === "" ? {} : { accept };
    const streamed = await stream(type, body, query, headers);
    expect(streamed.text).toBe(expected.stdout.toString("utf8"));
    expect([streamed.status, streamed.isComplete, expected.status]).toEqual([200, true, 0]);
    const isCsv = accept === csv || (type === csv && !accept.includes(jsonl));
    expect(streamed.headers["content-type"]).toBe(isCsv ? "text/csv; charset=utf-8" : jsonl);
    // With Content-Length, the daemon reads the whole body before it responds.
    const declared = { ...headers, "content-length": String(Buffer.byteLength(body)) };
    expect((await stream(type, body, query, declared)).text).toBe(streamed.text);
  },
);

it("a stream accepts Content-Encoding: gzip", async () => {
  const streamed = await stream(text, gzipSync("jane@gmail.com\n"), "", { "content-encoding": "gzip" });
  expect(streamed.text).toContain('"email":"jane@gmail.com","syntax_validation":true');
});

it("the trailer of a stream has the counts, notes about the format, and irregular rows", async () => {
  const { summary, headers } = await stream(csv, CSV.replaceAll(",", ";"));
  expect(headers["trailer"]).toBe("Addrsift-Summary");
  expect(summary).toMatchObject({
    rows: 4,
    classes: { valid: 2, invalid: 1, blank: 1, disposable: 1, public: 1 },
    faults: { multiple_at: 1 },
    top_disposable_domains: [{ name: "mailinator.com", rows: 1 }],
    notes: ['the columns seem to be separated by ";"'],
    irregular: { ragged: { rows: 2, first: [3, 5] } },
  });
});

const rows = "jane@gmail.com\njoe@mailinator.com\n";

it("the summary of a stream is sent as a trailer only if the request accepts trailers, and never for part=true", async () => {
  const trailers = async (query: string, headers: Readonly<Record<string, string>>) => {
    const response = await stream(text, rows, query, headers);
    expect([response.text.split("\n").length, response.isComplete]).toEqual([3, true]);
    return [response.headers["trailer"], response.trailers];
  };
  const none = [undefined, []];
  const one = ["Addrsift-Summary", ["addrsift-summary"]];
  expect(await trailers("", { te: "" })).toEqual(none);
  expect(await trailers("", { te: "gzip;q=0.5, xtrailers" })).toEqual(none);
  expect(await trailers("", { te: "deflate, Trailers" })).toEqual(one);
  expect(await trailers("summary=trailer", { te: "" })).toEqual(one);
  expect(await trailers("part=true", { te: "trailers" })).toEqual(none);
  const { status, text: message } = await stream(text, rows, "part=true&summary=trailer");
  expect([status, message]).toEqual([400, expect.stringContaining("summary and part exclude each other")]);
});

it.each([
  ["lines", text, rows, "", jsonl],
  ["JSON Lines", jsonl, JSONL, "&into=checked", jsonl],
  ["lines as CSV", text, rows, "&fields=fault", csv],
  ["CSV with a delimiter", csv, CSV.replaceAll(",", ";"), "", csv],
  ["CSV with two addresses", csv, 'a,b\r\n"x,y"@gmail.com,y@gmx.de\r\n', "&column=a&column=b", csv],
])("summary=row sends the summary as the last row of %s", async (_, type, body, query, accept) => {
  const streamed = await stream(type, body, `summary=row${query}`, { accept });
  const before = await stream(type, body, query.slice(1), { accept });
  expect(streamed.headers["trailer"]).toBeUndefined();
  expect(streamed.text.startsWith(before.text)).toBe(true);
  const last = streamed.text.slice(before.text.length);
  expect(last.endsWith("\n")).toBe(true);
  if (accept === jsonl) {
    const { summary } = JSON.parse(last) as { readonly summary: object };
    expect(summary).toMatchObject({ rows: before.summary["rows"], classes: before.summary["classes"] });
    return;
  }
  const [, field = "", rest = ""] = /^"((?:[^"]|"")*)"(.*)\n$/.exec(last) ?? [];
  const { summary } = JSON.parse(field.replaceAll('""', '"')) as { readonly summary: object };
  expect(summary).toMatchObject({ rows: before.summary["rows"] });
  // As many fields as the header has.
  const [header = ""] = before.text.split("\n");
  const [delimiter = ","] = /[;,]/.exec(header) ?? [];
  expect(rest).toBe(delimiter.repeat(header.split(delimiter).length - 1));
});

const tooManyRows = gzipSync(Buffer.alloc(2_000_000, "\n"), { level: 9 });

it("a stream is truncated if its gzip body has too many rows per byte, but not if the same body is uncompressed", async () => {
  const streamed = await stream(text, tooManyRows, "select=valid");
  expect([streamed.status, streamed.isComplete]).toEqual([200, false]);
  const uncompressed = await stream(text, Buffer.alloc(2_000_000, "\n"), "select=valid");
  expect([uncompressed.isComplete, uncompressed.summary["rows"]]).toEqual([true, 2_000_000]);
});

it("a stream of a gzip body may have a million equal rows, or more if the rows differ", async () => {
  let seed = 1;
  const digit = (): number => {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 1;
    return seed % 7;
  };
  const differentRows = Buffer.from(Array.from({ length: 1_200_000 }, () => `${digit()}\n`).join(""));
  for (const rows of [differentRows, Buffer.alloc(1_000_000, "\n")]) {
    expect((await stream(text, gzipSync(rows), "select=valid")).isComplete).toBe(true);
  }
});

const input = "is for Content-Type: text/csv or Content-Type: application/x-ndjson";
type Case = readonly [type: string, body: string, query: string, code: "QUERY" | "BODY", message: string];
const cases: readonly Case[] = [
  [text, LINES, "field=row", "QUERY", "did you mean fields?"],
  [text, LINES, "fields=email", "QUERY", "address already, so leave email out"],
  [text, LINES, "column=1", "QUERY", `column ${input}, not`],
  [text, LINES, "data-version=old", "QUERY", 'data-version is "old", but the lists in use have version 20'],
  [csv, CSV, "by=no", "QUERY", "there is no column no"],
  [jsonl, JSONL, "by=email", "QUERY", "names the addresses"],
  [csv, CSV, "explain=true", "QUERY", "explain and Accept: text/csv exclude each other: use Accept: application/x-"],
  [csv, CSV, "column=no", "QUERY", "there is no column no"],
  [csv, CSV, "part=true", "QUERY", "column=N"],
  [csv, "a,b\n1,2\n", "", "QUERY", "no header looks like email: add column with one of"],
  [csv, "email,disposable\n1,2\n", "", "QUERY", "with prefix=P"],
  [csv, "", "", "BODY", "the CSV is empty"],
  [csv, `email${",a".repeat(16_384)}\n`, "", "BODY", "row 1 has 16,385 columns, more than 16,384: check"],
  [csv, CSV, "part=true&column=16385", "QUERY", "part pads rows to the column: give column a number up to 16384"],
  [jsonl, `{"a":${"[".repeat(2000)}`, "", "BODY", "row 1 is nested deeper than 1,024 levels: take it out"],
];
it.each(cases)("a stream of %s %j with the query ?%s gets 400 INVALID_%s", async (type, body, query, code, message) => {
  const { status, text: answer, isComplete } = await stream(type, body, query);
  expect([status, isComplete]).toEqual([400, true]);
  const fault = JSON.parse(answer) as { code: string; message: string };
  expect(fault.code).toBe(`INVALID_${code}`);
  expect(fault.message).toContain(message);
  expect(fault.message).not.toMatch(/--|addrsift detect|: $/);
});

it("a stream with random query parameters gets 400 or a complete response", async () => {
  const names = Object.keys(STREAM_PARAMETERS).filter((name) => name !== "dns");
  const options: readonly DeclaredOption[] = [...INPUT_OPTIONS, ...OUTPUT_OPTIONS];
  const words = ["", "true", "0", "1", "4", "email", "a.b", "*", ";", "\u0000"];
  const values: readonly string[] = [...options.flatMap(({ choices = [] }) => choices), ...names, ...words];
  const parameter = fc.tuple(fc.constantFrom(...names), fc.oneof(fc.constant("true"), fc.constantFrom(...values)));
  const bodies = [LINES, CSV, JSONL, "", "a@gmail.com\n"];
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(text, csv, jsonl),
      fc.constantFrom(...bodies),
      fc.array(parameter, { minLength: 1, maxLength: 3 }),
      fc.constantFrom({}, { accept: csv }, { accept: jsonl }),
      async (type, body, parameters, accept) => {
        const query = new URLSearchParams(parameters).toString();
        const { status, isComplete } = await stream(type, body, query, accept);
        expect([query, [200, 400].includes(status), isComplete]).toEqual([query, true, true]);
      },
    ),
    { numRuns: 400 },
  );
});

it.each([
  ["xz data", Buffer.from("fd377a585a000000", "hex"), "send the output of xz -dc FILE"],
  ["a zip archive", Buffer.from("504b03040000", "hex"), "send the output of unzip -p FILE"],
  ["data that is gzipped twice", gzipSync(gzipSync("x")), "send the output of gzip -dc FILE"],
  ["damaged gzip data", Buffer.from("1f8b0800000000000003ffffffff", "hex"), "the gzip data of the body is damaged"],
])("a stream of %s gets 400 with a fix that suits an HTTP client", async (_, body, message) => {
  const { status, text: answer } = await stream(text, body);
  expect([status, answer]).toEqual([400, expect.stringContaining(message)]);
});

it("a stream with an unsupported media type, charset or encoding gets 415", async () => {
  const postWithHeaders = async (headers: Record<string, string>) => {
    const { status, json } = await send(daemon.port, "POST", PATH, { headers, body: "jane@gmail.com\n" });
    return [status, json["code"], json["message"]];
  };
  for (const [headers, message] of [
    [{ "content-type": "text/html" }, "application/json, text/plain, text/csv or application/x-ndjson"],
    [{ "content-type": "text/plain; charset=latin1" }, "UTF-8"],
    [{ "content-type": text, "content-encoding": "br" }, "gzip"],
  ] as const) {
    expect(await postWithHeaders(headers)).toEqual([415, "UNSUPPORTED_MEDIA_TYPE", expect.stringContaining(message)]);
  }
});

it("HTTP/1.0 streams are rejected", async () => {
  const begin = `POST ${PATH} HTTP/1.0\r\nContent-Type: text/plain\r\nContent-Length: 3\r\n\r\na@b`;
  expect(await sendRaw(daemon.port, [begin])).toMatch(/400 Bad Request.*use HTTP\/1\.1/s);
});

it("a stream returns each row immediately", async () => {
  const { outgoing, answer } = open(daemon.port, text);
  outgoing.write("jane@gmail.com\n");
  const incoming = await answer;
  const rows = incoming[Symbol.asyncIterator]();
  expect(String((await rows.next()).value)).toContain("jane@gmail.com");
  for (const name of ["joe", "mia"]) {
    outgoing.write(`${name}@mailinator.com\n`);
    expect(String((await rows.next()).value)).toContain(`"${name}@mailinator.com"`);
  }
  outgoing.end();
  expect((await rows.next()).done).toBe(true);
  expect(JSON.parse(incoming.trailers["addrsift-summary"] as string)).toMatchObject({ rows: 3 });
});

/** Returns the log lines about the request whose response has these headers. */
function linesAbout(headers: IncomingHttpHeaders): Record<string, unknown>[] {
  return objectsOf<Record<string, unknown>>(daemon.log()).filter(({ id }) => id === headers["x-request-id"]);
}

const row = "1,jane@gmail.com\n";
const compressed = gzipSync(Buffer.from("jane@gmail.com\n".repeat(300_000)));
const many = Array.from({ length: 1_000_001 }, (_, i) => (i === 0 ? "jane@gmail.com\n" : `u${i}@web.de\n`));
const mailboxes = Buffer.from(many.join(""));
it.each([
  ["a quote that never closes", csv, Buffer.from(`id,email\n${row}2,"${"x".repeat(17 * 2 ** 20)}`), "16 MiB"],
  ["gzip that is cut off", text, compressed.subarray(0, compressed.length - 100), "is cut off before its end"],
  ["more mailboxes than a stream compares", text, mailboxes, "the first 1000000 rows have 1000000 mailboxes"],
])("a failing stream is truncated; log and last row have the reason: %s", async (_, type, body, reason) => {
  const { outgoing, answer } = open(daemon.port, type, body === mailboxes ? "fields=duplicate_of" : "");
  outgoing.on("error", () => {});
  outgoing.end(body);
  const { status, text: rows, isComplete, summary, headers } = await read(await answer);
  expect([status, isComplete, summary]).toEqual([200, false, {}]);
  expect(rows).toContain("jane@gmail.com");
  const last = (rows.split("\n").at(-2) as string).replace(/^"(.*)",*$/, (__, field) => field.replaceAll('""', '"'));
  expect(JSON.parse(last)).toEqual({ code: "INVALID_BODY", message: expect.stringContaining(reason) });
  await expect.poll(() => linesAbout(headers)).toHaveLength(2);
  const [warning, access] = linesAbout(headers);
  expect(JSON.stringify(warning)).toContain(reason);
  expect(warning).toMatchObject({ level: 40, msg: "a stream was cut" });
  expect(access).toMatchObject({ msg: "response truncated" });
  expect(access?.["rows"]).toBeGreaterThanOrEqual(1);
});

it("a JSON body that is declared as text/plain, as by fetch, is an error that names the right type", async () => {
  for (const path of [PATH, "/api/v1/emails/stream"]) {
    const url = `http://127.0.0.1:${daemon.port}${path}`;
    const response = await fetch(url, { method: "POST", body: JSON.stringify({ emails: ["jane@gmail.com"] }) });
    expect([response.status, await response.json()]).toEqual([
      400,
      { code: "INVALID_BODY", message: expect.stringContaining("send Content-Type: application/json") },
    ]);
  }
  const part = await stream(text, '{"emails":[]}\n', "part=true");
  expect(part.text).toContain('"syntax_validation":false');
});

it("a stream has all rows before a quote that never closes, also if it was read to find the column", async () => {
  const addresses = Array.from({ length: 50 }, (_, i) => `jane${i}@gmail.com`);
  const { text: rows } = await stream(csv, `a,b\n${addresses.map((each) => `1,${each}\n`).join("")}2,"x\n`);
  expect(rows.match(/(?<=^1,)[^,]+/gm)).toEqual(addresses);
  expect(rows).toContain("row 52 opens a quote");
});

it.each([
  ["a chunk without a length", "zz\r\n"],
  ["trailers without an end", `0\r\nX: ${"x".repeat(20_000)}`],
])("the response of a stream ends without a summary after %s in the request body", async (_, broken) => {
  const head = `POST ${PATH} HTTP/1.1\r\nHost: localhost\r\nContent-Type: ${text}\r\nTransfer-Encoding: chunked\r\n\r\n`;
  const response = await sendRaw(daemon.port, [`${head}f\r\njane@gmail.com\n\r\n`, broken], (answer) =>
    answer.includes("jane@gmail.com"),
  );
  expect(response).toContain("jane@gmail.com");
  expect(response.match(/HTTP\/1\.1/g)).toHaveLength(1);
  expect(response).not.toContain("Addrsift-Summary: {");
  const [, id] = /X-Request-Id: (\S+)/.exec(response) as unknown as [string, string];
  await expect
    .poll(() => linesAbout({ "x-request-id": id }))
    .toMatchObject([
      { level: 40, msg: "a stream was cut", reason: expect.stringMatching(/not valid HTTP|headers exceed/) },
      { msg: "response truncated" },
    ]);
});

it("the log line of a stream has the number of rows", async () => {
  const { headers } = await stream(text, "jane@gmail.com\njoe@mailinator.com\nx\n");
  await expect.poll(() => linesAbout(headers)).toMatchObject([{ msg: "request", status: 200, rows: 3 }]);
});

const metric = async (name: string, { port } = daemon): Promise<string | undefined> => {
  const { text: all } = await send(port, "GET", "/metrics");
  return new RegExp(`^${name} (.*)$`, "m").exec(all)?.[1];
};

it("a slow reader delays only its own stream, and gets every row", async () => {
  const { outgoing, answer } = open(daemon.port, text);
  const line = `${"a".repeat(40)}@mailinator.com\n`;
  const rows = 400_000;
  let sent = 0;
  let isBlocked = false;
  while (sent < rows && !isBlocked) {
    const count = Math.min(2000, rows - sent);
    sent += count;
    if (outgoing.write(line.repeat(count))) continue;
    // The kernel buffers some megabytes on both sides.
    isBlocked = await Promise.race([
      new Promise<boolean>((resolve) => outgoing.once("drain", () => resolve(false))),
      new Promise<boolean>((resolve) => setTimeout(resolve, 1500, true)),
    ]);
  }
  expect(isBlocked).toBe(true);
  await expect.poll(() => metric("addrsift_streams")).toBe("1");
  expect((await send(daemon.port, "GET", `${PATH}?email=jane@gmail.com`)).status).toBe(200);
  const reading = read(await answer);
  outgoing.end();
  const { text: all, isComplete, summary } = await reading;
  expect(isComplete).toBe(true);
  expect(summary).toMatchObject({ rows: sent, classes: { disposable: sent } });
  expect(all.split("\n")).toHaveLength(sent + 1);
});

it("a client that disconnects ends its stream", async () => {
  const { outgoing, answer } = open(daemon.port, text);
  outgoing.write("jane@gmail.com\n".repeat(1000));
  await answer;
  await expect.poll(() => metric("addrsift_streams")).toBe("1");
  outgoing.destroy();
  await expect.poll(() => metric("addrsift_streams")).toBe("0");
  await expect.poll(() => daemon.log()).toMatch(/"msg":"client disconnected"/);
});

it("a client that closes its connection in the middle of a stream's body is logged as disconnected", async () => {
  const head = `POST ${PATH} HTTP/1.1\r\nHost: localhost\r\nContent-Type: ${text}\r\nTransfer-Encoding: chunked\r\n\r\n`;
  const socket = connect(daemon.port, "127.0.0.1");
  socket.write(`${head}f\r\njane@gmail.com\n\r\n`);
  let response = "";
  socket.on("data", (chunk) => {
    response += chunk;
    if (response.includes("jane@gmail.com")) socket.end();
  });
  await once(socket, "close");
  const [, id] = /X-Request-Id: (\S+)/.exec(response) as unknown as [string, string];
  await expect.poll(() => linesAbout({ "x-request-id": id })).toMatchObject([{ msg: "client disconnected" }]);
});

it("metrics count the rows of streams by class", async () => {
  const before = Number(await metric('addrsift_addresses_total\\{class="relay"\\}'));
  await stream(text, "a@duck.com\nb@duck.com\n");
  expect(Number(await metric('addrsift_addresses_total\\{class="relay"\\}'))).toBe(before + 2);
});

it.concurrent("a stream is not subject to the request timeout", async () => {
  const { outgoing, answer } = open(daemon.port, text);
  const startedMs = performance.now();
  let rows = 0;
  while (performance.now() - startedMs < 18_000) {
    outgoing.write(`user${rows}@gmail.com\n`);
    rows += 1;
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
  outgoing.end();
  const { isComplete, summary } = await read(await answer);
  expect([isComplete, summary["rows"]]).toEqual([true, rows]);
});

it("a stream with DNS has the same output as the command line", async () => {
  const server = await startNameServer(({ name, type }) => {
    if (name.startsWith("none")) return { rcode: 3 };
    if (name.startsWith("late")) return { mx: [[1, "mx.good-exchange.com"]], delayMs: 300 };
    return type === TYPE.MX ? { mx: [[1, "mx.good-exchange.com"]] } : { a: ["8.8.4.4"] };
  });
  onTestFinished(server.stop);
  const dns = ["--dns-server", server.address, "--dns-timeout", "20s"];
  const other = await testDaemon(dns);
  const names = ["late", "none", "good"];
  const lines = Array.from({ length: 3000 }, (_, i) => `a@${names[i % 3]}${i % 150}-harbour.com\n`).join("");
  const fields = "dns_status,disposable,row";
  const expected = await run(["detect", "--dns", "on", "--fields", fields, ...dns], { stdin: lines });
  const { outgoing, answer } = open(other.port, text, `dns=on&fields=${fields}`);
  outgoing.end(lines);
  const streamed = await read(await answer);
  expect(streamed.text).toBe(expected.stdout.toString("utf8"));
  expect(streamed.text).toContain('"dns_status":"nxdomain"');
  expect(streamed.summary).toMatchObject({ rows: 3000, classes: { no_mail: 1000 }, settled_by: { live: 3000 } });
  // Without dns=on, a stream makes no DNS lookups, like files on the command line.
  const { outgoing: second, answer: secondAnswer } = open(other.port, text);
  const before = server.questions.length;
  second.end("a@another-harbour.com\n");
  expect((await read(await secondAnswer)).summary).toMatchObject({ settled_by: { unsettled: 1 } });
  expect(server.questions.length).toBe(before);
});

it("if one caller has all stream slots, another caller evicts one of its streams, and the log has the reason", async () => {
  const other = await testDaemon(["--dns", "off", "--stream-limit", "4"]);
  const key = await makeKey(other.home, { scopes: ["emails:detect"] });
  const anonymous = ["", "", "\n", "\n"].map((begin) => {
    const openStream = open(other.port, text);
    openStream.outgoing.on("error", () => {});
    openStream.outgoing.write(`jane@gmail.com\n${begin}`);
    return openStream;
  });
  const incoming = await Promise.all(anonymous.map(({ answer }) => answer));
  const more = { headers: { "content-type": text }, body: "joe@mailinator.com\n" };
  const rejected = await send(other.port, "POST", PATH, more);
  expect([rejected.status, rejected.json["code"]]).toEqual([429, "RATE_LIMITED"]);
  const served = await send(other.port, "POST", PATH, { ...more, key: key.text });
  expect([served.status, served.text]).toEqual([200, expect.stringContaining("joe@mailinator.com")]);
  const evictionLine = new RegExp(
    `"level":40[^\\n]*"id":"${incoming[0]?.headers["x-request-id"]}"[^\\n]*most of them"[^\\n]*"a stream was cut"`,
  );
  await expect.poll(other.log).toMatch(evictionLine);
  expect(await read(incoming[0] as IncomingMessage)).toMatchObject({ isComplete: false });
  for (const { outgoing } of anonymous) outgoing.end();
  for (const response of incoming.slice(1)) expect(await read(response)).toMatchObject({ isComplete: true });
  // A stream without a response yet gets an error response.
  const halfSent = [1, 2, 3, 4].map(() => open(other.port, text, "", { "content-length": "100" }));
  for (const { outgoing } of halfSent) outgoing.write("jane@gmail.com\n");
  await expect.poll(() => metric("addrsift_streams", other)).toBe("4");
  expect((await send(other.port, "POST", PATH, { ...more, key: key.text })).status).toBe(200);
  const { statusCode, headers } = await Promise.race(halfSent.map(({ answer }) => answer));
  expect([statusCode, headers["retry-after"]]).toEqual([429, "5"]);
  for (const { outgoing } of halfSent) outgoing.on("error", () => {}).destroy();
});

it("--stream-limit rejects further streams after the key check, and SIGTERM lets the running stream finish", async () => {
  const other = await testDaemon(["--dns", "off", "--stream-limit", "1", "--public-url", "https://api.example.com"]);
  const { text: key } = await makeKey(other.home, { scopes: ["emails:detect"] });
  const options = { headers: { "content-type": text }, body: "x\n" };
  const withoutKey = await send(other.port, "POST", `${PATH}?what=1`, options);
  expect([withoutKey.status, withoutKey.json["code"]]).toEqual([401, "MISSING_API_KEY"]);
  const first = open(other.port, text, "", { authorization: `Bearer ${key}` });
  first.outgoing.write("jane@gmail.com\n");
  const incoming = await first.answer;
  const second = await send(other.port, "POST", PATH, { ...options, key });
  expect([second.status, second.json["code"], second.headers["retry-after"]]).toEqual([429, "RATE_LIMITED", "5"]);
  expect(second.json["message"]).toContain("1 stream is active");
  const stopped = other.stop();
  await expect.poll(other.log).toContain("stopping");
  first.outgoing.end("joe@mailinator.com\n");
  expect(await read(incoming)).toMatchObject({ isComplete: true, summary: { rows: 2 } });
  expect(await stopped).toBe(143);
});
