// A name server on loopback, over UDP and TCP, that misbehaves as a test sets: late, missing, truncated, refused or
// garbage answers. It records every question. For well-behaved answers tests use nsd.

import { createSocket, type Socket } from "node:dgram";
import { once } from "node:events";
import { createServer, type Server } from "node:net";

/** A received question. */
export interface Question {
  readonly name: string;
  readonly type: number;
  readonly transport: "udp" | "tcp";
}

/** How the server answers a question. */
export interface Reaction {
  /** 0 NOERROR, 2 SERVFAIL, 3 NXDOMAIN, 5 REFUSED. */
  readonly rcode?: number;
  /** MX records as [preference, exchange]; an exchange "" is the root. */
  readonly mx?: readonly (readonly [number, string])[];
  /** IPv4 addresses. */
  readonly a?: readonly string[];
  readonly delayMs?: number;
  /** Over UDP, send no records and set the truncation bit. */
  readonly truncated?: boolean;
  /** Instead of an answer, send the question's identifier and these bytes. */
  readonly garbage?: Uint8Array;
}

export const TYPE = { A: 1, MX: 15, AAAA: 28 } as const;

export interface NameServer {
  /** The value for --dns-server. */
  readonly address: string;
  readonly questions: Question[];
  stop(): Promise<void>;
}

/** Starts a server that answers each question as `react` returns. If it returns undefined, the server stays silent. */
export async function startNameServer(react: (question: Question) => Reaction | undefined): Promise<NameServer> {
  const questions: Question[] = [];
  const timers = new Set<NodeJS.Timeout>();
  const handleQuestion = (message: Buffer, transport: Question["transport"], send: (answer: Buffer) => void): void => {
    const question = { ...readQuestion(message), transport };
    questions.push(question);
    const reaction = react(question);
    if (reaction === undefined) return;
    const answer = reaction.garbage
      ? Buffer.concat([message.subarray(0, 2), reaction.garbage])
      : createAnswer(message, question, reaction);
    const timer = setTimeout(() => {
      timers.delete(timer);
      send(answer);
    }, reaction.delayMs ?? 0);
    timers.add(timer);
  };
  const tcp = createServer((socket) => {
    socket.on("error", () => {});
    socket.on("data", (bytes) => {
      handleQuestion(bytes.subarray(2), "tcp", (answer) => {
        const length = Buffer.alloc(2);
        length.writeUInt16BE(answer.length);
        socket.write(Buffer.concat([length, answer]));
      });
    });
  });
  const udp = await bindTogether(tcp);
  const { port } = udp.address();
  udp.on("message", (message, { port: from, address }) => {
    handleQuestion(message, "udp", (answer) => udp.send(answer, from, address));
  });
  const stop = async (): Promise<void> => {
    for (const timer of timers) clearTimeout(timer);
    await closeBoth(udp, tcp);
  };
  return { address: `127.0.0.1:${port}`, questions, stop };
}

async function closeBoth(udp: Socket, tcp: Server): Promise<void> {
  udp.close();
  tcp.close();
  await once(udp, "close");
}

function readQuestion(message: Buffer): { name: string; type: number } {
  const labels: string[] = [];
  let at = 12;
  for (let length = message[at] ?? 0; length > 0; length = message[at] ?? 0) {
    labels.push(message.toString("latin1", at + 1, at + 1 + length));
    at += length + 1;
  }
  return { name: labels.join(".").toLowerCase(), type: message.readUInt16BE(at + 1) };
}

function createAnswer(message: Buffer, { name, type, transport }: Question, reaction: Reaction): Buffer {
  const { rcode = 0, mx = [], a = [], truncated = false } = reaction;
  const isTruncated = truncated && transport === "udp";
  const records = isTruncated
    ? []
    : type === TYPE.MX
      ? mx.map(([preference, exchange]) =>
          createRecord(type, Buffer.concat([uint16(preference), encodeName(exchange)])),
        )
      : type === TYPE.A
        ? a.map((address) => createRecord(type, Buffer.from(address.split(".").map(Number))))
        : [];
  const questionEnd = 12 + encodeName(name).length + 4;
  const head = Buffer.from(message.subarray(0, questionEnd));
  head[2] = 0x84 | (isTruncated ? 0x02 : 0) | ((message[2] as number) & 1);
  head[3] = rcode;
  head.writeUInt16BE(records.length, 6);
  head.writeUInt16BE(0, 8);
  head.writeUInt16BE(0, 10);
  return Buffer.concat([head, ...records]);
}

/** Creates a record for the question's name. */
function createRecord(type: number, data: Buffer): Buffer {
  return Buffer.concat([
    Buffer.from([0xc0, 12]),
    uint16(type),
    uint16(1),
    // A time to live of 0, because c-ares in Node 20.19.0 caches records.
    Buffer.from([0, 0, 0, 0]),
    uint16(data.length),
    data,
  ]);
}

function encodeName(name: string): Buffer {
  const labels = name.split(".").filter((label) => label !== "");
  return Buffer.concat([
    ...labels.flatMap((label) => [Buffer.of(label.length), Buffer.from(label, "latin1")]),
    Buffer.of(0),
  ]);
}

function uint16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16BE(value);
  return bytes;
}

/** Binds a UDP socket and the TCP server to the same port. If another process has the TCP port, tries another port. */
async function bindTogether(tcp: Server): Promise<Socket> {
  for (let attempt = 1; ; attempt += 1) {
    const udp = createSocket("udp4");
    udp.bind(0, "127.0.0.1");
    await once(udp, "listening");
    try {
      tcp.listen(udp.address().port, "127.0.0.1");
      await once(tcp, "listening");
      return udp;
    } catch (error) {
      udp.close();
      if (attempt === 50) throw error;
    }
  }
}
