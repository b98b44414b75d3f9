// The law of rows at real sizes: other rows, anywhere in a file over 1 MiB, change no answer.

import { request } from "node:http";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type * as Library from "../../../src/library/index.ts";
import { createRandom } from "../../bench/generate.mjs";
import { ROOT } from "../../helpers/classify.ts";
import { type Daemon, startDaemon } from "../../helpers/daemon.ts";
import { addressesWith, literalsOf, USUAL } from "../../helpers/hostile-rows.ts";
import { run } from "../../helpers/run.ts";
import { SEED } from "../../helpers/seed.ts";

const ROWS = 50_000;
const HOSTILE = 10_000;
/** The beginning of each name among rows whose answers may not change; no text of the code has it. */
const OWN_MARK = "qzj";
const random = createRandom(SEED);
const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(random() * items.length)] as Item;

/** A row's number among those whose answers may not change; undefined for a hostile one. */
interface Given {
  readonly id: number | undefined;
  readonly address: string;
  readonly beside: string;
}

const DOMAINS = USUAL.map((address) => address.slice(address.indexOf("@") + 1));
// No two are one mailbox, so that hostile rows do not make them duplicates.
const OWN: readonly Given[] = Array.from({ length: ROWS }, (_, id) => {
  const domain = id % 3 === 0 ? `company${id % 5000}.com` : (DOMAINS[id % DOMAINS.length] as string);
  return { id, address: `${OWN_MARK}${id}${id % 7 === 0 ? "+tag" : ""}@${domain}`, beside: "x" };
});
const LITERALS = literalsOf(() => true);

/** All rows, with hostile ones at any place. */
function withHostile(): Given[] {
  const hostile = Array.from({ length: HOSTILE }, () => {
    const beside = pick(LITERALS);
    return { id: undefined, address: pick(addressesWith(beside)), beside };
  });
  const places = hostile.map(() => Math.floor(random() * ROWS)).sort((a, b) => a - b);
  const rows: Given[] = [];
  let at = 0;
  for (const [i, place] of places.entries()) {
    rows.push(...OWN.slice(at, place), hostile[i] as Given);
    at = place;
  }
  return [...rows, ...OWN.slice(at)];
}

const quoted = (text: string): string => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
const escaped = (text: string): string => text.replace(/[\\\t\r\n]/g, (char) => `\\${char === "\t" ? "t" : "\\"}`);
const nameOf = ({ id }: Given): string => (id === undefined ? "hostile" : `${OWN_MARK}${id}`);

// In lines, the address itself identifies a row.
const FORMS = {
  lines: { head: "", row: ({ address }: Given) => address.replace(/[\r\n]/g, "") },
  csv: {
    head: "name,email,beside\n",
    row: (row: Given) => `${nameOf(row)},${quoted(row.address)},${quoted(row.beside)}`,
  },
  tsv: {
    head: "name\temail\tbeside\n",
    row: (row: Given) => `${nameOf(row)}\t${escaped(row.address)}\t${escaped(row.beside)}`,
  },
  jsonl: {
    head: "",
    row: (row: Given) => JSON.stringify({ name: nameOf(row), email: row.address, beside: row.beside }),
  },
} as const;
type Form = keyof typeof FORMS;

const inputOf = (form: Form, rows: readonly Given[]): string =>
  FORMS[form].head + rows.map((row) => `${FORMS[form].row(row)}\n`).join("");
/** The answers to rows whose answers may not change. */
const ownAnswers = (output: string): string[] => output.split("\n").filter((line) => line.includes(OWN_MARK));

const CASES: readonly (readonly [form: Form, args: readonly string[]])[] = [
  ["lines", ["--format", "ndjson"]],
  ["lines", ["--format", "plain", "--reject", "duplicate,invalid"]],
  ["lines", ["--format", "csv", "--fields", "normalized,domain,matched", "--allow-unknown-tld"]],
  ["csv", []],
  ["csv", ["--reject", "duplicate"]],
  ["csv", ["--fields", "domain,registrable_domain,tag,duplicate_of", "--allow-unknown-tld"]],
  ["csv", ["--format", "ndjson", "--select", "valid"]],
  ["tsv", ["--fields", "domain,disposable"]],
  ["tsv", ["--reject", "duplicate,role"]],
  ["jsonl", ["--prefix", "x_"]],
  ["jsonl", ["--into", "found", "--allow-unknown-tld"]],
];

const inForm = (form: Form): string[] => (form === "lines" ? [] : [`--${form}`, "--column", "email"]);

describe.each(CASES)("%s %j", (form, args) => {
  it("detect: other rows don't change a row's verdict", async () => {
    const command = ["detect", "--quiet", "--offline", ...inForm(form), ...args];
    const plain = inputOf(form, OWN);
    expect(plain.length).toBeGreaterThan(1024 * 1024);
    const [alone, among] = [
      await run(command, { stdin: plain }),
      await run(command, { stdin: inputOf(form, withHostile()) }),
    ];
    expect([alone.status, among.status]).toEqual([0, 0]);
    const wanted = ownAnswers(alone.stdout.toString());
    expect(wanted.length).toBeGreaterThan(ROWS / 2);
    expect(ownAnswers(among.stdout.toString())).toEqual(wanted);
  });
});

const TYPES: Partial<Record<Form, string>> = { lines: "text/plain", csv: "text/csv", jsonl: "application/x-ndjson" };
const STREAMED = CASES.filter(([form, args]) => TYPES[form] !== undefined && !args.includes("plain"));

/** The answer to a stream; the body is read while the answer is written. */
function streamed(port: number, form: Form, args: readonly string[], body: string): Promise<string> {
  const query = new URLSearchParams(form === "lines" ? {} : { column: "email" });
  for (const [i, arg] of args.entries()) {
    const next = args[i + 1] ?? "--";
    if (arg.startsWith("--") && arg !== "--format") {
      query.append(arg.slice(2), next.startsWith("--") ? "true" : next);
    }
  }
  const type = TYPES[form] as string;
  const accept = args.includes("csv") ? "text/csv" : args.includes("ndjson") ? "application/x-ndjson" : type;
  const path = `/api/v1/emails/detect?${query}`;
  return new Promise((resolve, reject) => {
    const outgoing = request({ port, method: "POST", path, headers: { "content-type": type, accept } });
    outgoing.on("error", reject).on("response", (incoming) => text(incoming).then(resolve, reject));
    outgoing.end(body);
  });
}

describe("the daemon's stream", () => {
  let daemon: Daemon;
  beforeAll(async () => {
    daemon = await startDaemon(["--dns", "off"]);
  });
  afterAll(() => daemon.stop("SIGKILL"));

  it.each(STREAMED)("the daemon's stream, %s %j: other rows don't change a row's verdict", async (form, args) => {
    const wanted = ownAnswers(await streamed(daemon.port, form, args, inputOf(form, OWN)));
    expect(wanted.length).toBeGreaterThan(ROWS / 2);
    expect(ownAnswers(await streamed(daemon.port, form, args, inputOf(form, withHostile())))).toEqual(wanted);
  });
});

it("detectMany(): other rows don't change a row's verdict", async () => {
  const { createDetector }: typeof Library = await import(join(ROOT, "dist/lib/index.js"));
  const detector = createDetector();
  const answers = (rows: readonly Given[]): unknown[] =>
    detector.detectMany(rows.map(({ address }) => address)).filter(({ email }) => email.startsWith(OWN_MARK));
  expect(answers(withHostile())).toEqual(answers(OWN));
});
