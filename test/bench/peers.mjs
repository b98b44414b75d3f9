// Scripts that people write instead of using addrsift: readline, a package that classifies addresses, two Sets, and
// JSON.stringify.
//   node test/bench/peers.mjs validator|mailchecker|hapi|email-validator|tldts < addresses.txt > results.ndjson

import { createInterface } from "node:readline";
import { readNames } from "./names.mjs";

const CHUNK = 1 << 16;
const ROLES = new Set(["info", "support", "sales", "admin", "office", "contact", "billing", "hello"]);
const disposable = new Set(readNames("disposable.txt"));
const publicDomains = new Set(readNames("public.tsv"));

/** Each creates a function that returns an address's class, undefined if it is invalid, or the whole result. */
const PEERS = {
  validator: async () => {
    const { default: validator } = await import("validator");
    return (email) => (validator.isEmail(email) ? classOf(validator.normalizeEmail(email) || email) : undefined);
  },
  // mailchecker has its own list.
  mailchecker: async () => {
    const { default: mailchecker } = await import("mailchecker");
    return (email) => (mailchecker.isValid(email) ? "other" : undefined);
  },
  hapi: async () => {
    const { isEmailValid } = await import("@hapi/address");
    return (email) => (isEmailValid(email) ? classOf(email) : undefined);
  },
  "email-validator": async () => {
    const { default: emailValidator } = await import("email-validator");
    return (email) => (emailValidator.validate(email) ? classOf(email) : undefined);
  },
  // A split and a few short checks, with roles and tags.
  tldts: async () => {
    const { parse } = await import("tldts");
    return (email) => classify(parse, email.trim());
  },
};

function classify(parse, email) {
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

function classOf(email) {
  const domain = email.slice(email.lastIndexOf("@") + 1).toLowerCase();
  if (disposable.has(domain)) return "disposable";
  return publicDomains.has(domain) ? "public" : "other";
}

const classifyLine = await PEERS[process.argv[2]]();
let text = "";

function flush() {
  process.stdout.write(text);
  text = "";
}

createInterface({ input: process.stdin, crlfDelay: Number.POSITIVE_INFINITY })
  .on("line", (line) => {
    const result = classifyLine(line);
    const isWhole = typeof result === "object";
    text += `${JSON.stringify(isWhole ? result : { email: line, valid: result !== undefined, class: result })}\n`;
    if (text.length > CHUNK) flush();
  })
  .on("close", flush);
