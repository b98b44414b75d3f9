// Overrides from what a person typed, or from a file that a person or another machine wrote: a JSON array, or one
// object a line. All of it is good, or none is taken.

import { parseMailbox } from "../address/mailbox.ts";
import type { SyntaxOptions } from "../address/options.ts";
import { encodeUtf8 } from "../base/bytes/bytes.ts";
import { nameFault } from "../base/names.ts";
import type { Result } from "../base/result.ts";
import { defined } from "../base/result.ts";
import { Classifier, type ClassifierSetup } from "../detection/classifier.ts";
import { ACTIONS, type Action, type OverrideRecord, TIME } from "./overrides.ts";

const FIELDS = ["entry", "action", "reason", "by", "created_at", "expires_at"];
const REASON_MAX = 500;
const UNFIT = /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}]/u;

export interface ImportPorts extends Pick<ClassifierSetup, "lists" | "parserContext"> {
  readonly nowMs: number;
}

export function reasonFault(reason: string): string | undefined {
  if (UNFIT.test(reason)) return "has control characters or line breaks: leave them out";
  return reason.trim() === "" || Array.from(reason.slice(0, 2 * REASON_MAX + 1)).length > REASON_MAX
    ? `is blank or too long: give 1 to ${REASON_MAX} characters`
    : undefined;
}

export function readImport(text: string, ports: ImportPorts): Result<OverrideRecord[], string> {
  const values = readValues(text.replace(/^\ufeff/, ""));
  if (!values.ok) return values;
  const records = new Map<string, OverrideRecord>();
  for (const { place, value } of values.value) {
    const read = readRecord(value, ports);
    if (!read.ok) return { ok: false, fault: `${place}: ${read.fault}` };
    const { entry } = read.value;
    if (records.has(entry)) return { ok: false, fault: `${place}: ${entry} is there twice: keep one` };
    records.set(entry, read.value);
  }
  return { ok: true, value: [...records.values()] };
}

interface PlacedValue {
  readonly place: string;
  readonly value: unknown;
}

function readValues(text: string): Result<PlacedValue[], string> {
  if (text.trimStart().startsWith("[")) {
    const array = parseJson(text);
    if (!Array.isArray(array)) return { ok: false, fault: "it is not a JSON array: write it with --json" };
    return { ok: true, value: array.map((value: unknown, i) => ({ place: `override ${i + 1}`, value })) };
  }
  const lines = text.split(/\r?\n/).map((line, i) => ({ place: `line ${i + 1}`, line }));
  const filled = lines.filter(({ line }) => line.trim() !== "");
  return { ok: true, value: filled.map(({ place, line }) => ({ place, value: parseJson(line) })) };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function readRecord(value: unknown, ports: ImportPorts): Result<OverrideRecord, string> {
  const fail = (fault: string): { ok: false; fault: string } => ({ ok: false, fault });
  if (typeof value !== "object" || value === null || Array.isArray(value))
    return fail('it must be a JSON object such as {"entry":"spam.example","action":"deny"}');
  const unknown = Object.keys(value).find((name) => !FIELDS.includes(name));
  if (unknown !== undefined) return fail(`unknown field "${unknown}": use ${FIELDS.join(", ")}`);
  const { entry, action, reason, by, created_at, expires_at } = value as Readonly<Record<string, unknown>>;
  if (typeof entry !== "string") return fail("entry must be a domain or an address");
  if (!ACTIONS.some((known) => known === action)) return fail("action must be allow or deny");
  const named = overrideEntry(entry, ports);
  if (!named.ok) return fail(`"${entry}" ${named.fault}`);
  if (reason !== undefined && typeof reason !== "string") return fail("reason must be a text");
  const badReason = reason === undefined ? undefined : reasonFault(reason);
  if (badReason !== undefined) return fail(`reason ${badReason}`);
  const badName = by === undefined ? undefined : nameFault(by);
  if (badName !== undefined) return fail(`by ${badName}`);
  const created = readTime(created_at ?? new Date(ports.nowMs).toISOString());
  const expires = expires_at === undefined ? undefined : readTime(expires_at);
  if (created === undefined || (expires_at !== undefined && expires === undefined))
    return fail("created_at and expires_at must be times such as 2030-01-31T12:00:00Z");
  return {
    ok: true,
    value: {
      entry: named.value,
      action: action as Action,
      ...defined({ reason, by: by as string | undefined }),
      created_at: created,
      ...defined({ expires_at: expires }),
    },
  };
}

const ISO_TIME = new RegExp(`^${TIME}$`);

function readTime(value: unknown): string | undefined {
  const time = typeof value === "string" && ISO_TIME.test(value) ? Date.parse(value) : Number.NaN;
  return Number.isNaN(time) ? undefined : new Date(time).toISOString();
}

// A team may have decisions about what its own syntax policy lets in.
const SYNTAX: SyntaxOptions = {
  allowReserved: true,
  allowUnknownTld: true,
  allowDomainLiteral: true,
  allowLongLocal: true,
};

/**
 * The entry for a text: `jane@example.org` is one mailbox in all its spellings, `example.org` and `@example.org` the
 * domain and all below it. The fault continues a sentence that begins with the text.
 */
export function overrideEntry(
  text: string,
  { lists, parserContext }: Pick<ClassifierSetup, "lists" | "parserContext">,
): Result<string, string> {
  if (text.lastIndexOf("@") > 0) {
    const classifier = new Classifier({ lists, parserContext, syntax: SYNTAX });
    const bytes = encodeUtf8(text);
    classifier.classify(bytes, 0, bytes.length);
    if (classifier.fault === undefined) return { ok: true, value: classifier.normalized };
    return { ok: false, fault: `is not an address (${classifier.fault}): give one such as jane@example.org` };
  }
  const domain = text.replace(/^@/, "");
  if (domain.startsWith("*.")) {
    return { ok: false, fault: `needs no asterisk: give ${domain.slice(2)}, which covers all domains below it` };
  }
  const parsed = parseMailbox(encodeUtf8(`postmaster@${domain}`), SYNTAX, parserContext);
  if (parsed.ok && !domain.startsWith("[")) return { ok: true, value: parsed.value.domain.ascii };
  const code = parsed.ok ? "domain_literal" : parsed.fault.code;
  return { ok: false, fault: `is not a mail domain (${code}): give a domain such as example.org, or an address` };
}
