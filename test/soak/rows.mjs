// Processes a million rows with unusual contents. The output must have as many rows as the input, each with the
// library's result for the address, with the structure that csv-parse and JSON.parse read, and TSV as databases
// exchange it.
//   npm run soak:rows [-- --rows N] [-- --seed N]

import { execFileSync } from "node:child_process";
import { closeSync, createReadStream, existsSync, openSync, readFileSync, writeSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { isDeepStrictEqual, parseArgs } from "node:util";
import { createDetector } from "../../dist/lib/index.js";
import { createRandom } from "../bench/generate.mjs";
import { COMMAND, ROOT, scratchFolder } from "../helpers/programs.mjs";

const { values } = parseArgs({
  options: { rows: { type: "string", default: "1000000" }, seed: { type: "string", default: "1" } },
});
const ROWS = Number(values.rows);
const random = createRandom(Number(values.seed));
const pick = (list) => list[(random() * list.length) | 0];

const utf8 = (text) => Buffer.from(text).toString("latin1");

const EMAIL_SHOWN_MAX = 1024;
const FIELD_MAX = 64 * 1024;
const WIDTH = 4;

// Every text here is latin1: one character for each byte.
const words = (text) => text.split(" ");
const LOCALS = words(`jane.doe Joe+news info support-eu o'neil x_y no-reply A.B.C ${"a".repeat(64)} ${"a".repeat(65)}`);
const DOMAINS = words("gmail.com GoogleMail.com mailinator.com sub.mailinator.com duck.com a.mozmail.com example.org");
const MORE_DOMAINS = words(
  "yahoo.co.uk user.fastmail.com co.uk localhost xn--bcher-kva.example xn--zzz--.com 192.0.2.1",
);
const UNICODE = words(
  "bücher.de почта.рф 例え.jp ｅｘａｍｐｌｅ．ｃｏｍ a\u200db.com \u202eevil.com 👍.com e\u0301.com",
).map(utf8);
const ODD = ["", " ", "\t", "a b@c.org", ...words("@ @@ a@ @b.org a@b..org .a@b.org a.@b.org a@-b.org a@b_c.org")];
const QUOTED = ['"a b"', '"a,b"', '"a""b"', '"\\""', '""', '"a'].map((local) => `${local}@example.org`);
const BROKEN = words(
  "caf\xe9@example.org \xff\xfe@x.org \xed\xa0\x80@x.org a@\xc0\xaf.org \xf4\x90\x80\x80@b.org a@b.org\xe2\x80",
);
const CONTROLS = words("a\0b@c.org a\x1b[31m@c.org a\x7f@c.org a\rb@c.org \xef\xbb\xbfa@c.org a\u0085@c.org a@c.org\v");
const HIDDEN = words("a\u200bb@c.org a\u2028b@c.org \u0301a@c.org a\ufffd@c.org a＠c.org Straße@c.org ΣΑΣ@c.org").map(
  utf8,
);
const FORMULAS = ["=1+1", "-a", "+a", "|x", "a;b", "{a}"].map((local) => `${local}@example.org`);
const FIELDS = [
  "",
  "x",
  "a,b",
  'say "hi"',
  "two\nlines",
  "cr\r\nlf",
  " spaced ",
  utf8("Zürich"),
  "caf\xe9",
  "=A1",
  "1.5",
];

function makeAddress(i) {
  const chance = random();
  if (i % 200_003 === 77) return `${"l".repeat(FIELD_MAX + 1 + ((random() * 200_000) | 0))}@example.org`;
  if (i % 50_021 === 33) return `${"m".repeat((random() * FIELD_MAX) | 0)}@example.org`;
  if (chance < 0.5) return `${pick(LOCALS)}${random() < 0.3 ? i : ""}@${pick(DOMAINS)}`;
  if (chance < 0.6) return `${pick(LOCALS)}@${pick(MORE_DOMAINS)}`;
  if (chance < 0.7) return `${pick(LOCALS)}@${pick(UNICODE)}`;
  if (chance < 0.75) return `${pick([" ", "\t", "  ", "\v"])}${pick(LOCALS)}@${pick(DOMAINS)}${pick([" ", "", "\f"])}`;
  return pick([pick(ODD), pick(QUOTED), pick(BROKEN), pick(CONTROLS), pick(HIDDEN), pick(FORMULAS)]);
}

const makeLine = (i) => makeAddress(i).replaceAll("\n", " ");
const lineEnd = () => (random() < 0.1 ? "\r\n" : "\n");

/** Formats a CSV field: quoted if it must be, and sometimes if it need not be. */
function formatField(field) {
  return /[",\r\n]/.test(field) || random() < 0.2 ? `"${field.replaceAll('"', '""')}"` : field;
}

function makeRecord(i) {
  const chance = random();
  const count = chance < 0.01 ? 2 : chance < 0.02 ? 6 : WIDTH;
  const fields = Array.from({ length: count }, (_, column) => (column === 1 ? makeAddress(i) : pick(FIELDS)));
  // The first field is never empty, so that no record is an empty line.
  return [String(i), ...fields.slice(1)].map(formatField).join(",");
}

function fillFile(file, head, makeRow, end) {
  const descriptor = openSync(file, "w");
  let text = head;
  for (let i = 0; i < ROWS; i += 1) {
    text += makeRow(i) + end(i);
    if (text.length > 1 << 20) {
      writeSync(descriptor, text, null, "latin1");
      text = "";
    }
  }
  writeSync(descriptor, text, null, "latin1");
  closeSync(descriptor);
}

function* linesOf(bytes) {
  for (let start = 0; start < bytes.length; ) {
    const lf = bytes.indexOf(10, start);
    const end = lf < 0 ? bytes.length : lf;
    yield bytes.subarray(start, end);
    start = end + 1;
  }
}

const detector = createDetector();
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/**
 * Returns the library's result for an address in bytes, by the rules for rows: trimmed, truncated, rejected over 64
 * KiB.
 */
async function expectedDetection(bytes) {
  const text = decoder.decode(Buffer.from(bytes.toString("latin1").replace(/^[\t-\r ]+|[\t-\r ]+$/g, ""), "latin1"));
  const characters = Array.from(text);
  const email = characters.length <= EMAIL_SHOWN_MAX ? text : `${characters.slice(0, EMAIL_SHOWN_MAX).join("")}…`;
  return { ...(await detector.detect(text)), email };
}

function detect(args, input, output) {
  const [stdin, stdout] = [openSync(input, "r"), openSync(output, "w")];
  execFileSync(process.execPath, [COMMAND, "detect", "--quiet", ...args], { stdio: [stdin, stdout, "inherit"] });
  closeSync(stdin);
  closeSync(stdout);
  return readFileSync(output);
}

function check(condition, failure) {
  if (condition) return;
  console.error(`rows: FAILED: ${failure}`);
  process.exit(1);
}

async function checkLines(folder) {
  const input = join(folder, "lines");
  fillFile(input, "", makeLine, lineEnd);
  const inputLines = linesOf(readFileSync(input));
  let rows = 0;
  let disposable = 0;
  for (const line of linesOf(detect([], input, join(folder, "lines.out")))) {
    const { value, done } = inputLines.next();
    check(done !== true, `row ${rows + 1} is one too many`);
    const detection = JSON.parse(line.toString());
    const expected = await expectedDetection(value.at(-1) === 0x0d ? value.subarray(0, -1) : value);
    check(isDeepStrictEqual(detection, expected), `row ${rows + 1}: ${line} is not ${JSON.stringify(expected)}`);
    rows += 1;
    disposable += detection.disposable === true ? 1 : 0;
  }
  check(rows === ROWS && inputLines.next().done, `${rows} rows of output for ${ROWS}`);
  console.log(`lines: ${rows} rows in and out, each with the library's result (${disposable} disposable)`);
}

async function checkCsv(folder) {
  const { parse } = createRequire(join(ROOT, "test/bench/package.json"))("csv-parse");
  const [input, output] = [join(folder, "csv"), join(folder, "csv.out")];
  fillFile(input, "id,email,note,more\n", makeRecord, lineEnd);
  detect(["--csv"], input, output);
  const read = (file) =>
    createReadStream(file)
      .pipe(parse({ encoding: "latin1", relax_column_count: true, record_delimiter: ["\r\n", "\n"] }))
      [Symbol.asyncIterator]();
  const [inputRecords, outputRecords] = [read(input), read(output)];
  const header = (await outputRecords.next()).value;
  const names = header.slice(WIDTH);
  check(
    (await inputRecords.next()).value.every((name, i) => header[i] === name),
    `the header became ${header}`,
  );
  let rows = 0;
  for (let next = await inputRecords.next(); !next.done; next = await inputRecords.next()) {
    const { value: record, done } = await outputRecords.next();
    rows += 1;
    check(!done, `record ${rows} is missing`);
    const fields = next.value;
    const padded = [...fields.slice(0, WIDTH), ...Array(Math.max(0, WIDTH - fields.length)).fill("")];
    const original = [...record.slice(0, WIDTH), ...record.slice(WIDTH + names.length)];
    check(
      isDeepStrictEqual(original, [...padded, ...fields.slice(WIDTH)]),
      `record ${rows}: ${record} lost a field of ${fields}`,
    );
    const detection = await expectedDetection(Buffer.from(fields[1], "latin1"));
    const added = names.map((name) => utf8(String(detection[name] ?? "")));
    check(
      isDeepStrictEqual(record.slice(WIDTH, WIDTH + names.length), added),
      `record ${rows}: ${record} is not ${added}`,
    );
  }
  check(rows === ROWS && (await outputRecords.next()).done, `${rows} records of output for ${ROWS}`);
  console.log(
    `CSV: ${rows} records in and out, with the structure that csv-parse reads, each with the library's result`,
  );
}

const FLAGS = "syntax_validation normalized subaddressing role_address public_domain relay_domain".split(" ");
const ADDED = [...FLAGS, "relay_provider", "disposable", "detection_source"];

const SPECIAL_TEXTS = ['"\\u0000\\ud83d\\ude00\\\\"', utf8('"Zürich ✉"')];
/** JSON values that must pass through unchanged. */
const VALUES = ['"x"', "-0.5e+3", "[[],{}]", '{"a":[1,{"email":"x"}]}', "null", "true", ...SPECIAL_TEXTS];

/**
 * Creates a line: an object, or something else. The address may be null, missing, repeated, or written with escapes.
 */
function makeObject(i) {
  const chance = random();
  if (chance < 0.01) return pick(["", " ", "{", "[]", '{"id":1,}', `not ${i}`, '{"email":"a', "null", '"x"']);
  let json = JSON.stringify(decoder.decode(Buffer.from(makeAddress(i), "latin1")));
  if (random() < 0.2)
    json = json.replace(/[a-z@é]/gu, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`);
  const address = chance < 0.03 ? "null" : chance < 0.04 ? pick(["5", "[]", "{}", "false"]) : utf8(json);
  const key = chance > 0.99 ? "" : `"email":${address},`;
  const duplicateKey = chance > 0.98 && chance < 0.99 ? '"email":"first@example.org",' : "";
  return `{"id":${i}, ${duplicateKey}${key}"note":${pick(VALUES)}${random() < 0.1 ? " }\t" : "}"}`;
}

async function checkJsonLines(folder) {
  const [input, output] = [join(folder, "jsonl"), join(folder, "jsonl.out")];
  fillFile(input, "", makeObject, lineEnd);
  const bytes = detect(["--jsonl", "--part", "--column", "email"], input, output);
  const inputLines = linesOf(readFileSync(input));
  let rows = 0;
  for (const line of linesOf(bytes)) {
    const { value } = inputLines.next();
    rows += 1;
    const text = decoder.decode(value);
    const outputRow = JSON.parse(decoder.decode(line));
    let object;
    try {
      object = JSON.parse(text);
    } catch {}
    const isObject = typeof object === "object" && object !== null && !Array.isArray(object);
    const { email } = isObject ? object : {};
    const isBlank = text.trim() === "";
    let added = { syntax_validation: false };
    if (isBlank || (isObject && (email === null || email === undefined))) {
      added = Object.fromEntries(ADDED.map((name) => [name, null]));
    } else if (isObject) {
      const emailBytes = Buffer.from(typeof email === "string" ? email : JSON.stringify(email));
      const { email: _, ...fields } = await expectedDetection(emailBytes);
      added = fields;
    }
    const original = isObject ? object : isBlank ? {} : { broken_line: text.replace(/\r$/, "") };
    check(
      isDeepStrictEqual(outputRow, { ...original, ...added }),
      `row ${rows}: ${line} is not ${JSON.stringify({ ...original, ...added })}`,
    );
    // The original members are unchanged, byte for byte.
    const body = text.trimEnd().replace(/\s*\}$/, "");
    check(!isObject || decoder.decode(line).startsWith(body), `row ${rows}: ${line} lost bytes of ${text}`);
  }
  check(rows === ROWS && inputLines.next().done, `${rows} lines of output for ${ROWS}`);
  console.log(`JSON Lines: ${rows} rows in and out, as JSON.parse reads them, each with the library's result`);
}

const ESCAPES = { "\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r" };
const escapeField = (text) => text.replace(/[\\\t\n\r]/g, (char) => ESCAPES[char]);
const readField = (text) =>
  text === "\\N" ? null : text.replace(/\\(.)/gs, (_, char) => ({ t: "\t", n: "\n", r: "\r" })[char] ?? char);

async function checkTsv(folder) {
  const [input, output] = [join(folder, "tsv"), join(folder, "tsv.out")];
  const makeRow = (i) =>
    [String(i), random() < 0.03 ? "\\N" : escapeField(makeAddress(i)), escapeField(pick(FIELDS))]
      .slice(0, random() < 0.01 ? 1 : 3)
      .join("\t");
  fillFile(input, "", makeRow, () => "\n");
  const bytes = detect(["--tsv", "--part", "--column", "2"], input, output);
  const inputLines = linesOf(readFileSync(input));
  let rows = 0;
  for (const line of linesOf(bytes)) {
    const text = inputLines.next().value.toString("latin1");
    rows += 1;
    const fields = line.toString("latin1").split("\t");
    const columns = text.split("\t");
    const width = Math.max(2, columns.length);
    check(isDeepStrictEqual(fields.slice(0, columns.length), columns), `row ${rows}: ${line} lost a column of ${text}`);
    const address = columns.length < 2 ? null : readField(columns[1]);
    const detection = address === null ? {} : await expectedDetection(Buffer.from(address, "latin1"));
    const added = ADDED.map((name) => (detection[name] === undefined ? null : utf8(String(detection[name]))));
    check(isDeepStrictEqual(fields.slice(width).map(readField), added), `row ${rows}: ${line} is not ${added}`);
  }
  check(rows === ROWS && inputLines.next().done, `${rows} rows of output for ${ROWS}`);
  console.log(`TSV: ${rows} rows in and out, columns byte for byte, each with the library's result`);
}

if (!existsSync(join(ROOT, "test/bench/node_modules/csv-parse"))) {
  execFileSync("npm", ["ci", "--ignore-scripts", "--prefix", join(ROOT, "test/bench")], { stdio: "inherit" });
}
const folder = scratchFolder("soak");
for (const checkForm of [checkLines, checkCsv, checkJsonLines, checkTsv]) await checkForm(folder);
