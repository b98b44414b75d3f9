// The scored packages, with a function for each criterion that they claim to support. None uses the network.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { getDomain } from "tldts";

const require = createRequire(import.meta.url);
/** A neutral local part, for tools that need an address to classify a domain. */
const USER = "jane.doe@";

/** Converts a function of addresses to one of domains. */
const ofDomain = (classify) => (domain) => classify(USER + domain);

/** Reports whether the domain or an ancestor is in the set. */
function hasSuffix(set, domain) {
  for (let rest = domain; rest.includes("."); rest = rest.slice(rest.indexOf(".") + 1)) if (set.has(rest)) return true;
  return false;
}

/** Classifies all inputs in advance, because addrsift's detections are promises. */
export async function classifyAll(inputs) {
  const { createDetector } = await import("../../../dist/lib/index.js");
  const detector = createDetector();
  const detections = new Map();
  for (const input of inputs) detections.set(input, await detector.detect(input, { explain: true }));
  return detections;
}

/**
 * Creates the functions of addrsift. Disposable domains are also scored without fakefilter, whose crawl is an input,
 * and without the community list, whose additions are. As in the product, entries of two lists without a first day
 * don't count.
 */
export function addrsift(detections) {
  const detectionOf = (email) => detections.get(email);
  const without = (source) =>
    ofDomain((email) =>
      detectionOf(email).explain?.matches.some(
        ({ flag, sources, since }) =>
          flag === "disposable" &&
          sources.some(
            (label) =>
              !label.startsWith(`${source}@`) &&
              (since !== undefined || !/^(disposable-domains|disposable\.github\.io)@/.test(label)),
          ),
      ),
    );
  return {
    name: "**addrsift**",
    valid: (email) => detectionOf(email).syntax_validation,
    disposable: ofDomain((email) => detectionOf(email).disposable === true),
    withoutCrawl: without("fakefilter"),
    withoutCommunity: without("disposable-email-domains"),
    relay: ofDomain((email) => detectionOf(email).relay_domain === true),
    freemail: ofDomain((email) => detectionOf(email).public_domain === true),
    canonical: (email) => detectionOf(email).normalized,
  };
}

/** Creates the functions of the npm packages. */
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
    { name: "disposable-domains", disposable: hasSuffix.bind(undefined, new Set(require("disposable-domains"))) },
    {
      name: "disposable-email-domains-js",
      disposable: hasSuffix.bind(undefined, require("disposable-email-domains-js").disposableEmailBlocklistSet()),
    },
    // Same rule as its own function, which is slow: it creates a regular expression for each domain at each call.
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

/** Creates the functions of deep-email-validator that need no network. They return promises. */
async function deepEmailValidator() {
  const { validate } = await import("deep-email-validator");
  const off = { validateRegex: false, validateTypo: false, validateMx: false, validateSMTP: false };
  const isValid = async (email, options) =>
    (await validate({ email, ...off, validateDisposable: false, ...options })).valid;
  return {
    name: "deep-email-validator",
    valid: (email) => isValid(email, { validateRegex: true }),
    disposable: ofDomain(async (email) => !(await isValid(email, { validateDisposable: true }))),
  };
}

/** Same rule as freemail's own functions, which are slow: they search two arrays of 90,000 names at each call. */
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
  return { name: "disposable-email-domains", disposable: (domain) => exact.has(domain) || hasSuffix(wildcard, domain) };
}

/** Creates the functions of the PyPI packages, which classify all inputs in advance. */
export function pythonTools(python, { addresses, domains }) {
  const verdicts = new Map(zip(addresses, python.classify("email-validator", addresses)));
  const lists = new Map(
    zip(
      domains,
      python.classify(
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

/** Returns addresses at the domains. */
export const asAddresses = (domains) => domains.map((domain) => USER + domain);
