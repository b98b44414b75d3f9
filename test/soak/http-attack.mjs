// Attacks a daemon in one way until the process is ended. Prints `ready` when the attack has started.
//   node test/soak/http-attack.mjs PORT KIND

import { connect } from "node:net";
import { gzipSync } from "node:zlib";

const port = Number(process.argv[2]);
const kind = process.argv[3];
const HOST = "Host: localhost\r\n";
const DETECT = "/api/v1/emails/detect";

const post = (length, body) =>
  `POST ${DETECT} HTTP/1.1\r\n${HOST}Content-Type: application/json\r\nContent-Length: ${length}\r\n\r\n${body}`;
const postBody = (body) => post(Buffer.byteLength(body), body);

const openStream = (type, query = "") =>
  `POST ${DETECT}${query} HTTP/1.1\r\n${HOST}Content-Type: ${type}\r\nTransfer-Encoding: chunked\r\n\r\n`;
const END = Buffer.from("0\r\n\r\n");
const chunk = (bytes) =>
  Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), Buffer.from(bytes), Buffer.from("\r\n")]);
/** Rows of 14 MB, just below the limit of a row, that take much memory if each of their parts is an object. */
const nested = () => `{"email":"x@gmail.com","d":${"[".repeat(7e6)}${"]".repeat(7e6)}}\n`;
const columns = () => `${"a,".repeat(7e6)}email\nb\n`;
const keys = () => `{${Array.from({ length: 1e6 }, (_, i) => `"k${i}":1`).join()},"email":"x@gmail.com"}\n`;
const ROWS = chunk(Array.from({ length: 2000 }, (_, i) => `jane.doe+${i}@host-${i % 500}.example.com\n`).join(""));

/** Starts a stream with `head`, and sends `piece` up to `max` times, as fast as the daemon reads. Then calls `end`. */
function streamPieces(head, piece, max = Number.POSITIVE_INFINITY, end = () => {}) {
  return (socket) => {
    socket.write(head);
    let sent = 0;
    const sendMore = () => {
      while (sent < max && socket.writable) {
        sent += 1;
        if (!socket.write(piece)) return;
      }
      end(socket);
    };
    socket.on("drain", sendMore);
    sendMore();
  };
}

/** Sends a whole stream. */
function streamOnce(type, makeBody) {
  let bytes;
  return (socket) => {
    bytes ??= Buffer.concat([Buffer.from(openStream(type)), chunk(Buffer.from(makeBody())), END]);
    socket.end(bytes);
  };
}

/** Runs an attack without reading the responses. */
function withoutReading(act) {
  return (socket) => {
    socket.pause();
    act(socket);
  };
}

/** Opens a connection and calls `act` with it, again whenever the connection ends. */
function keepOpen(act, pauseMs = 20) {
  const socket = connect(port, "127.0.0.1");
  socket.on("error", () => {});
  socket.on("connect", () => act(socket));
  socket.resume();
  socket.on("close", () => setTimeout(keepOpen, pauseMs, act, pauseMs));
}

/** Sends the same bytes repeatedly over one connection, whatever the responses. */
function sendRepeatedly(bytes, everyMs) {
  return (socket) => {
    const timer = setInterval(() => {
      // If the daemon does not read, pause, so that only its memory is attacked, not that of this process.
      if (socket.writableLength < 1e6) socket.write(bytes);
    }, everyMs);
    socket.on("close", () => clearInterval(timer));
  };
}

/** Sends `head`, and then a piece at intervals without end. */
function sendSlowly(head, piece, everyMs) {
  return (socket) => {
    socket.write(head);
    const timer = setInterval(() => socket.write(piece), everyMs);
    socket.on("close", () => clearInterval(timer));
  };
}

const KINDS = {
  "slow headers": { count: 500, act: sendSlowly(`GET /healthz HTTP/1.1\r\n${HOST}`, "X: y\r\n", 500) },
  "slow bodies": { count: 500, act: sendSlowly(post(60_000, '{"emails":['), '"a",', 500) },
  "oversized bodies": { count: 20, act: (socket) => socket.write(post(2 ** 30, "x".repeat(256 * 1024))) },
  "oversized chunks": {
    count: 20,
    act: (socket) =>
      socket.write(
        `POST ${DETECT} HTTP/1.1\r\n${HOST}Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n` +
          `4000\r\n${"x".repeat(0x4000)}\r\n`.repeat(40),
      ),
  },
  "oversized headers": { count: 20, act: (socket) => socket.write(`GET /${"x".repeat(40_000)} HTTP/1.1\r\n\r\n`) },
  "idle connections": { count: 10_000, act: () => {}, pauseMs: 5000 },
  pipelining: { count: 10, act: sendRepeatedly(`GET /healthz HTTP/1.1\r\n${HOST}\r\n`.repeat(50), 100) },
  "bad HTTP": { count: 20, act: (socket) => socket.write("\u0016\u0003\u0001 no HTTP at all\r\n\r\n") },
  "bad UTF-8": {
    count: 20,
    act: sendRepeatedly(Buffer.concat([Buffer.from(post(3, "")), Buffer.from([0xff, 0xfe, 0xfd])]), 20),
  },
  "deep JSON": { count: 20, act: sendRepeatedly(postBody(`{"emails":${"[".repeat(100_000)}`), 100) },
  "duplicate headers": {
    count: 20,
    act: (socket) => socket.write(`GET / HTTP/1.1\r\n${HOST}${HOST}Connection: close\r\n\r\n`),
  },
  "largest batches": {
    count: 2,
    act: sendRepeatedly(
      postBody(JSON.stringify({ emails: Array(1000).fill("jane.doe+news@gmail.com"), explain: true })),
      500,
    ),
  },
  streams: { count: 2, act: streamPieces(openStream("text/plain"), ROWS) },
  "streams without a reader": { count: 20, act: withoutReading(streamPieces(openStream("text/plain"), ROWS)) },
  "streams that stall": { count: 50, act: (socket) => socket.write(openStream("text/plain") + chunk("a@b.example\n")) },
  "streams that disconnect": {
    count: 8,
    act: streamPieces(openStream("text/plain"), ROWS, 20, (socket) => setTimeout(() => socket.destroy(), 50)),
  },
  "streams with a truncated row": {
    count: 8,
    act: streamPieces(openStream("text/csv"), chunk(`email\n"${"x".repeat(60_000)}`), 1, (socket) => socket.end()),
  },
  "streams of a gzip bomb": {
    count: 2,
    act: streamPieces(openStream("text/plain", "?select=reserved"), chunk(gzipSync("a@gmail.com\n".repeat(2_000_000)))),
  },
  "streams of nested rows": { count: 2, act: streamOnce("application/x-ndjson", nested) },
  "streams of nested rows in gzip": { count: 2, act: streamOnce("application/x-ndjson", () => gzipSync(nested())) },
  "streams of many columns": { count: 2, act: streamOnce("text/csv", columns) },
  "streams of many keys": { count: 2, act: streamOnce("application/x-ndjson", keys) },
  "streams of one long row": { count: 8, act: streamPieces(openStream("text/plain"), chunk("x".repeat(65_536))) },
};

if (kind === undefined) {
  console.log(JSON.stringify(Object.keys(KINDS)));
} else {
  const { count, act, pauseMs } = KINDS[kind];
  let opened = 0;
  const open = () => {
    for (let i = 0; i < 100 && opened < count; i += 1, opened += 1) keepOpen(act, pauseMs);
    if (opened < count) setTimeout(open, 10);
    else console.log("ready");
  };
  open();
}
