// The obvious classifier, to compare with: readline, a split and a few short checks, tldts, two Sets, JSON.stringify.
//   node test/bench/naive.mjs < addresses.txt > results.ndjson

import { createInterface } from "node:readline";
import { parse } from "tldts";
import { readNames } from "./names.mjs";

const CHUNK = 1 << 16;
const ROLES = new Set(["info", "support", "sales", "admin", "office", "contact", "billing", "hello"]);
const disposable = new Set(readNames("disposable.txt"));
const publicDomains = new Set(readNames("public.tsv"));
let text = "";

const lines = createInterface({ input: process.stdin, crlfDelay: Number.POSITIVE_INFINITY });
lines.on("line", (line) => {
  text += `${JSON.stringify(classify(line.trim()))}\n`;
  if (text.length > CHUNK) flush();
});
lines.on("close", flush);

function flush() {
  process.stdout.write(text);
  text = "";
}

function classify(email) {
  const at = email.lastIndexOf("@");
  const local = email.slice(0, at);
  if (at < 1 || email.length > 254 || local.length > 64 || !/^[\p{L}\p{N}._%+'-]+$|^"[^"]+"$/u.test(local)) {
    return { email, syntax_validation: false };
  }
  const { hostname, domain, isIcann } = parse(email.slice(at + 1).toLowerCase(), { allowPrivateDomains: false });
  if (domain === null || !isIcann) return { email, syntax_validation: false };
  const [user] = local.toLowerCase().split("+");
  return {
    email,
    syntax_validation: true,
    normalized: `${user}@${hostname}`,
    subaddressing: local.includes("+"),
    role_address: ROLES.has(user),
    public_domain: publicDomains.has(hostname),
    relay_domain: false,
    disposable: disposable.has(hostname) || disposable.has(domain),
    detection_source: "precomputed",
  };
}
