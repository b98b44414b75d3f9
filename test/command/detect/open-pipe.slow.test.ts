// Tests a pipe that stays open: each complete row is processed before more input arrives, however reads split it.

import type { ChildProcess } from "node:child_process";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openRows } from "../../../src/bulk/run/open-rows.ts";
import { detectSettings } from "../../helpers/in-process.ts";
import { type NameServer, startNameServer } from "../../helpers/name-server.ts";
import { start } from "../../helpers/run.ts";

/** Pause between two writes, so that the command gets them in different reads. */
const PAUSE_MS = 6;
const TIMEOUT_MS = 120_000;

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

let server: NameServer;
beforeAll(async () => {
  server = await startNameServer(({ type }) => (type === 15 ? { mx: [[1, "in.mail.tm"]] } : {}));
});
afterAll(() => server.stop());

/** The command, with a pipe as standard input that stays open until `end`. */
class OpenPipe {
  private readonly child: ChildProcess;
  private text = "";
  private wake: () => void = () => {};

  constructor(args: readonly string[]) {
    this.child = start(["detect", "--quiet", ...args]);
    this.child.stdout?.on("data", (chunk: Buffer) => {
      this.text += chunk.toString("latin1");
      this.wake();
    });
  }

  /** Writes the parts with pauses. Reports whether the output then contains `expected`, without further input. */
  async write(parts: readonly string[], expected: string): Promise<boolean> {
    this.text = "";
    for (const [index, part] of parts.entries()) {
      if (index > 0) await sleep(PAUSE_MS);
      this.child.stdin?.write(part, "latin1");
    }
    const deadline = performance.now() + TIMEOUT_MS;
    while (!this.text.includes(expected) && performance.now() < deadline) {
      const arrived = new Promise<void>((resolve) => {
        this.wake = resolve;
      });
      await Promise.race([arrived, sleep(deadline - performance.now())]);
    }
    return this.text.includes(expected);
  }

  /** Ends the input. Returns the exit status. */
  end(): Promise<number | null> {
    this.child.stdin?.end();
    return new Promise((resolve) => this.child.on("close", resolve));
  }
}

/** A command line, the header of its input, and the row for an address. */
interface Form {
  readonly args: readonly string[];
  readonly header?: string;
  readonly row?: (address: string) => string;
  readonly domain?: string;
  /** A part of a blank row's output; undefined if a blank row has no output. */
  readonly blank?: string;
}

const quoted = (address: string): string => `"Doe, ""J\n""",x\r,"${address}"\r\n`;
const object = (address: string): string => `{"a":"\\"{[", "mail":"${address}" }\n`;
const FORMS: Readonly<Record<string, Form>> = {
  ndjson: { args: [], blank: '{"email":"","syntax_validation":false}' },
  "ndjson, CRLF": { args: [], row: (address) => `${address}\r\n` },
  plain: { args: ["-f", "plain"], blank: "\n" },
  tsv: { args: ["-f", "tsv"], blank: "\tfalse\t" },
  csv: { args: ["-f", "csv"], blank: ",false," },
  json: { args: ["-f", "json"], blank: '{"email":"","syntax_validation":false}' },
  table: { args: ["-f", "table"] },
  "two columns": {
    args: ["--csv", "--column", "a", "--column", "b"],
    header: "a,b\n",
    row: (address) => `x@,"${address}"\n`,
    blank: ",,false,",
  },
  "--explain": { args: ["--explain"], blank: '{"email":"","syntax_validation":false}' },
  "--part": { args: ["--part"], blank: '{"email":"","syntax_validation":false}' },
  "--csv": { args: ["--csv"], header: "id,email\n", row: (address) => `1,${address}\n`, blank: ",,false," },
  "--csv, quoted": { args: ["--csv"], header: '"na\nme",x,"e-mail"\n', row: quoted },
  "--csv --no-header": { args: ["--csv", "--no-header", "--column", "3"], row: quoted },
  "--csv --part": { args: ["--csv", "--part", "--column", "3"], row: quoted },
  "--csv, detected delimiter": { args: ["--csv"], header: "id;email\n", row: (address) => `1;${address}\n` },
  "--tsv": { args: ["--tsv"], header: "id\temail\n", row: (address) => `1\t${address}\n`, blank: "\t\\N" },
  "--tsv --part": {
    args: ["--tsv", "--part", "--column", "2", "--fields", "normalized,tag"],
    row: (address) => `x\\\\\t${address}\ty\r\n`,
    blank: "\t\\N",
  },
  "--jsonl": { args: ["--jsonl", "--column", "mail"], row: object, blank: '"syntax_validation":null' },
  "--jsonl --part": {
    args: ["--jsonl", "--part", "--column", "mail", "--into", "said"],
    row: (address) => `${object(address).trim()}\r\n`,
    blank: '{"said":null}',
  },
  "--fields": { args: ["--fields", "domain,row"], blank: '{"email":"","row":' },
  "--domains": { args: ["--domains"], blank: '{"domain":"","syntax_validation":false}' },
  "--csv to ndjson": { args: ["--csv", "--json"], header: "email\n", blank: '{"email":"","syntax_validation":false}' },
};
const LIVE: Form = { args: ["--dns", "on"], domain: "quiet-harbour-tools.com" };

const open = ({ args, domain }: Form): OpenPipe => {
  const dns = domain === undefined ? [] : ["--dns-server", server.address];
  return new OpenPipe([...args, ...dns]);
};

describe.concurrent.each([...Object.entries(FORMS), ["--dns on", LIVE] as const])("an open pipe, %s", (name, form) => {
  const { header, row = (address) => `${address}\n`, domain = "gmail.com", blank } = form;

  it(`open pipe, ${name}: each row is processed as soon as it is complete, wherever reads split it`, async () => {
    const pipe = open(form);
    if (header !== undefined) await pipe.write([header], "");
    const length = row(`u00@${domain}`).length;
    for (let at = 0; at < length; at += 1) {
      const address = `u${10 + at}@${domain}`;
      const text = row(address);
      // Every third time, another row arrives before it.
      const before = at % 3 === 0 ? row(`before@${domain}`) : "";
      const parts = at === 0 ? [text] : [before + text.slice(0, at), text.slice(at)];
      expect(await pipe.write(parts, address), `split at ${at}`).toBe(true);
      if (blank !== undefined && at % 8 === 0) expect(await pipe.write(["\n"], blank), "blank").toBe(true);
    }
    expect(await pipe.end()).toBe(0);
  });

  it(`open pipe, ${name}: a row is processed while the next one is incomplete`, async () => {
    const pipe = open(form);
    if (header !== undefined) await pipe.write([header], "");
    const length = row(`u00@${domain}`).length;
    let rest = "";
    for (let at = 1; at < length; at += 3) {
      const address = `u${10 + at}@${domain}`;
      const text = `${rest}${row(address).slice(rest.length)}`;
      const next = row(`u${13 + at}@${domain}`).slice(0, at);
      const unread = text.slice(rest.length);
      expect(await pipe.write([unread.slice(0, 3), unread.slice(3) + next], address), `split at ${at}`).toBe(true);
      rest = next;
    }
    await pipe.end();
  });
});

describe.concurrent("a header in an open pipe", () => {
  it.each([
    ["CSV", ["--csv"]],
    ["live DNS", ["--csv", "--dns", "on", "--dns-timeout", "50"]],
    ["plain", ["--csv", "-f", "plain"]],
  ] as const)("open pipe: the header is printed before the first row arrives: %s", async (_, args) => {
    const pipe = new OpenPipe(args);
    expect(await pipe.write(["id,ema", "il\n"], "id,email")).toBe(true);
    expect(await pipe.end()).toBe(0);
  });

  const HEADER = '\xef\xbb\xbf"n ""a""\nme",e-mail\r\n';
  it.each(Array.from({ length: HEADER.length }, (_, at) => at))(
    "open pipe: a header that is split at byte %i is read as a whole",
    async (at) => {
      const parts = [HEADER.slice(0, at), HEADER.slice(at)].filter((part) => part !== "");
      const source = {
        read: async (target: Uint8Array, to: number) => {
          const part = parts.shift();
          // No more input arrives, and the pipe stays open.
          if (part === undefined) await new Promise(() => {});
          return Buffer.from(part ?? "", "latin1").copy(target, to);
        },
        close: () => {},
      };
      const preamble = await openRows(source, detectSettings("--csv"), {
        gunzip: (packed) => packed,
        onNote: () => {},
      });
      expect(preamble).toMatchObject({ layout: { column: 1, width: 2 }, names: ['n "a"\nme', "e-mail"] });
    },
  );
});

it.each(["\0\n", "\xef\n", "\xef\xbb\n", "\xfe\n", "\xff\n", "P\n", "PK\x03\n", "BZh9\n", "(\n", "\n", "\x1f\n"])(
  "open pipe: a first row that looks like another file format is processed: %j",
  async (row) => {
    const pipe = new OpenPipe(["-f", "plain"]);
    expect(await pipe.write([...row], row)).toBe(true);
    expect(await pipe.end()).toBe(0);
  },
);
