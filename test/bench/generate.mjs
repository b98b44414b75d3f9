// Generates bulk input, the same for the same lists. Some addresses are broken, internationalized, quoted, tagged,
// roles or in upper case. The domains of the rows are drawn from one of three lists:
//   mixed      40 % at gmail.com, the others over 200,000 domains by Zipf's law, of which one in 30 is in a list
//   consumer   92 % at 30 providers, the others as in mixed
//   business   30 % at the 30 providers, the others at companies that come once or twice: 3,500 domains in 8,000 rows
// Usage: node test/bench/generate.mjs [LIST-]plain|csv|jsonl|flat|domains|different ROWS FILE

import { closeSync, openSync, writeSync } from "node:fs";
import { readNames } from "./names.mjs";

const SEED = 1;
const DOMAINS = 200_000;
const DISPOSABLE = 6000;
const EXPONENT = 0.95;
const AT_GMAIL = 0.4;
const AT_PROVIDERS = { consumer: 0.92, business: 0.3 };
// Companies per row, so that rows drawn at random have 3,500 domains in 8,000 rows.
const COMPANIES_PER_ROW = 0.68;
// Dozens of consumer providers have most of the other rows.
const HEAD =
  "yahoo.com hotmail.com outlook.com icloud.com aol.com gmx.de web.de mail.ru live.com qq.com 163.com proton.me".split(
    " ",
  );
const PROVIDERS = [
  "gmail.com",
  ...HEAD,
  ..."gmx.net t-online.de hotmail.co.uk yahoo.co.uk yahoo.fr orange.fr free.fr libero.it wp.pl seznam.cz".split(" "),
  ..."naver.com comcast.net me.com ya.ru msn.com yahoo.co.jp uol.com.br".split(" "),
];
const CHUNK = 1 << 16;

const FIRST = "jane john maria wei olga ahmed lucas emma noah sofia ivan chloe mateo yuki priya lars".split(" ");
const LAST = "doe smith garcia chen ivanova khan silva brown novak rossi petrov martin lopez sato patel berg".split(
  " ",
);
const ROLES = "info support sales admin office contact billing hello".split(" ");
const TAGS = "news shop 2026 list spam test-1 promo x".split(" ");
const CITIES = ["Oslo", "Lyon", "São Paulo", "Washington, D.C.", "München", "Osaka", "Kraków", "Cape Town"];
const SYLLABLES = "ba co di fer gan hul in jor ka lem mo nor pel qua ris sol ta ul ver win".split(" ");
const SUFFIXES = "com com com net org de fr nl it es pl io info biz co.uk com.br com.au co.jp".split(" ");
const UNICODE = ["bücher", "señal", "żółw", "почта", "例え", "καλημέρα", "crème", "smørrebrød"];

const random = createRandom(SEED);
const pick = (values) => values[(random() * values.length) | 0];

const BROKEN = [
  (local, domain) => `${local}${domain}`,
  (local, domain) => `${local}@@${domain}`,
  (local, domain) => `.${local}@${domain}`,
  (local, domain) => `${local}..x@${domain}`,
  (local) => `${local}@`,
  (_, domain) => `@${domain}`,
  (local) => `${local}@localhost`,
  (local, domain) => `${local} x@${domain}`,
  (local, domain) => `${local}@-${domain}`,
  (local, domain) => `"${local}@${domain}`,
];

/** Creates a random generator (mulberry32) of numbers from 0 to below 1, the same on every machine. */
export function createRandom(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Returns the domains: large providers, then relays, disposable and unlisted domains in random order. */
function makeDomains() {
  const disposable = shuffle(readNames("disposable.txt"));
  const chosen = new Set([...readNames("relays.tsv"), ...disposable.slice(0, DISPOSABLE)]);
  while (chosen.size < DOMAINS)
    chosen.add(
      `${pick(SYLLABLES)}${pick(SYLLABLES)}${pick(SYLLABLES)}${pick(["", "-"])}${pick(SYLLABLES)}.${pick(SUFFIXES)}`,
    );
  return [...HEAD, ...shuffle([...chosen])];
}

function shuffle(values) {
  for (let i = values.length - 1; i > 0; i -= 1) {
    const j = (random() * (i + 1)) | 0;
    [values[i], values[j]] = [values[j], values[i]];
  }
  return values;
}

/** Returns a function that draws a rank from 0 to below `count` by Zipf's law. */
function createZipf(count) {
  const cumulative = new Float64Array(count);
  let sum = 0;
  for (let i = 0; i < count; i += 1) {
    sum += (i + 1) ** -EXPONENT;
    cumulative[i] = sum;
  }
  return () => {
    const target = random() * sum;
    let [low, high] = [0, count - 1];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (cumulative[middle] <= target) low = middle + 1;
      else high = middle;
    }
    return low;
  };
}

function makeLocal() {
  const chance = random();
  if (chance < 0.02) return pick(ROLES);
  if (chance < 0.022) return `"${pick(FIRST)} ${pick(LAST)}"`;
  const local = `${pick(FIRST)}${chance < 0.5 ? "." : ""}${pick(LAST)}${(random() * 10_000) | 0}`;
  if (chance < 0.07) return `${local}+${pick(TAGS)}`;
  return chance < 0.1 ? local.toUpperCase() : local;
}

function makeAddress(domain) {
  const local = makeLocal();
  const chance = random();
  if (chance < 0.02) return pick(BROKEN)(local, domain);
  if (chance < 0.025) return `${local}@${pick(UNICODE)}${(random() * 25) | 0}.com`;
  return `${local}@${chance < 0.05 ? domain.toUpperCase() : domain}`;
}

function makeRecord(id, address) {
  const nickname = random() < 0.1 ? ` ""${pick(FIRST)}""` : "";
  const note = random() < 0.05 ? `called on Monday,\nno answer` : "customer";
  const email = address.replaceAll('"', '""');
  const amount = (random() * 1000).toFixed(2);
  return `${id},"${pick(LAST)}, ${pick(FIRST)}${nickname}","${email}","${pick(CITIES)}","${note}",${amount}\n`;
}

function makeObject(id, email, isFlat) {
  const name = `${pick(LAST)}, ${pick(FIRST)}`;
  if (isFlat) return `${JSON.stringify({ id, name, email, city: pick(CITIES), customer: true, amount: id / 8 })}\n`;
  return `${JSON.stringify({ id, name, email, address: { city: pick(CITIES) }, tags: ["a", "b"], amount: id / 8 })}\n`;
}

const HEADER = '"id","name","email","city","note","amount"\n';

/** Returns a function that draws the domain of a row from a list. */
function createDomainPicker(list, rows) {
  const provider = createZipf(PROVIDERS.length);
  if (list === "business") {
    const companies = Math.ceil(COMPANIES_PER_ROW * rows);
    return () => (random() < AT_PROVIDERS.business ? PROVIDERS[provider()] : companyDomain((random() * companies) | 0));
  }
  const domains = makeDomains();
  const rank = createZipf(domains.length);
  if (list === "mixed") return () => (random() < AT_GMAIL ? "gmail.com" : domains[rank()]);
  return () => (random() < AT_PROVIDERS.consumer ? PROVIDERS[provider()] : domains[rank()]);
}

/** Returns the domain of a company by its number. */
function companyDomain(number) {
  const syllable = (divisor) => SYLLABLES[Math.floor(number / divisor) % SYLLABLES.length];
  const name = `${syllable(1)}${syllable(20)}${syllable(400)}${Math.floor(number / 8000) || ""}`;
  return `${name}.${SUFFIXES[number % SUFFIXES.length]}`;
}

/** Returns a function that writes a row of an input such as `csv` or `business-csv`. */
function createRowMaker(input, rows) {
  const [form, list = "mixed"] = input.split("-").reverse();
  if (form === "different") return (i) => `${makeLocal()}@${pick(SYLLABLES)}${i.toString(36)}.${pick(SUFFIXES)}\n`;
  const domain = createDomainPicker(list, rows);
  if (form === "domains") return () => `${domain()}\n`;
  const address = () => makeAddress(domain());
  if (form === "jsonl" || form === "flat") return (i) => makeObject(i + 1, address(), form === "flat");
  return form === "csv" ? (i) => makeRecord(i + 1, address()) : () => `${address()}\n`;
}

/** Writes `rows` rows (and a header for csv) to `file`, in constant memory. */
function generate(input, rows, file) {
  const makeRow = createRowMaker(input, rows);
  const descriptor = openSync(file, "w");
  let text = input.endsWith("csv") ? HEADER : "";
  for (let i = 0; i < rows; i += 1) {
    text += makeRow(i);
    if (text.length > CHUNK) {
      writeSync(descriptor, text);
      text = "";
    }
  }
  writeSync(descriptor, text);
  closeSync(descriptor);
}

if (process.argv[1] === import.meta.filename) {
  const [input, rows, file] = process.argv.slice(2);
  generate(input, Number(rows), file);
}
