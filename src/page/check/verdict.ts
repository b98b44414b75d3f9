// Describes a detection in the words of the command line.

import type { SyntaxFault } from "../../address/faults.ts";
import { COMMA } from "../../base/bytes/ascii.ts";
import { escapeInvisible, pluralize, toSentence } from "../../base/format-text.ts";
import { formatCsvField } from "../../bulk/render/encodings.ts";
import {
  CLASS_MEANINGS,
  DOUBTFUL_CLASSES,
  ROW_CLASS,
  type RowClass,
  UNUSABLE_CLASSES,
  verdictNames,
} from "../../detection/classes.ts";
import type { Detection, ValidDetection } from "../../detection/detection.ts";
import type { Explanation, Match } from "../../detection/evidence.ts";
import { ADDED_COLUMNS } from "../../detection/fields.ts";
import type { RoutingStatus } from "../../detection/routing.ts";
import { humanize, type Tone } from "../common/text.ts";

export const DNS_STATUS_TEXTS: Readonly<Record<RoutingStatus, string>> = {
  skipped: "not looked up",
  ok: "the domain has mail servers",
  implicit_mx: "the domain has no MX record, but an address that may accept mail",
  null_mx: "the domain accepts no mail (null MX)",
  no_mail: "the domain has neither an MX record nor an address",
  nxdomain: "the domain does not exist",
  timeout: "timed out",
  servfail: "failed (SERVFAIL)",
  refused: "refused the query",
  error: "could not be queried",
};

const TONES = { clean: "good", doubtful: "warn", "not clean": "bad" } as const;

/** Classes that the clean list leaves out. */
const EXCLUDED_CLASSES: readonly string[] = [...UNUSABLE_CLASSES, "duplicate"];

export type CheckResult = Detection & {
  readonly classes: readonly RowClass[];
  /** The earlier address with the same mailbox. */
  readonly duplicate_of?: string;
  /** The address before its correction. */
  readonly corrected_from?: string;
  /** The word before the address in the text, which may be part of it. */
  readonly word_before?: string | undefined;
};

export function describeVerdict(result: CheckResult): readonly [tone: Tone, title: string, sentences: string] {
  const names = namesOf(result);
  const list = nameList(result);
  const isUnknown = mayNotExist(result);
  const tone = list === "clean" && isUnknown ? "plain" : TONES[list];
  const title = names.map((name) => (name === "ok" && isUnknown ? "ok (DNS not asked)" : humanize(name))).join(", ");
  // A fault may be why the address is called mistyped.
  const hasFault = evidenceOf(result).syntax_error !== undefined;
  const relevant = names.filter((name) => name !== "mistyped" || !hasFault);
  const explained = relevant.filter(
    (name) => tone !== "bad" || [...EXCLUDED_CLASSES, "perhaps_incomplete"].includes(name),
  );
  return [tone, title, explained.map((name) => explainClass(result, name)).join(" ")];
}

/** Returns whether the clean list has an address, in the words of the report. A possibly incomplete one is doubtful. */
export function nameList({ classes, word_before: word }: CheckResult): keyof typeof TONES {
  const isIn = (names: readonly string[]): boolean => classes.some((name) => names.includes(name));
  if (isIn(EXCLUDED_CLASSES)) return "not clean";
  return isIn(DOUBTFUL_CLASSES) || word !== undefined ? "doubtful" : "clean";
}

/** A class, or another name that a verdict has. */
type VerdictName = RowClass | "ok" | "perhaps_incomplete";

/** Returns the classes that the command line's table names, and others that matter; "ok" only in the clean list. */
function namesOf(result: CheckResult): VerdictName[] {
  const { classes } = result;
  const others = classes.filter((name) => ["mistyped", "academic", "duplicate"].includes(name));
  const incomplete = result.word_before === undefined ? [] : (["perhaps_incomplete"] as const);
  const names = [...new Set([...incomplete, ...verdictNames(classes), ...others])];
  return nameList(result) === "clean" ? names : names.filter((name) => name !== "ok");
}

/** Returns the classes without the one that nearly every address has. */
function shownClasses({ classes }: CheckResult): RowClass[] {
  return classes.filter((name) => name !== "unreserved");
}

/** Reports whether neither a list that counts nor DNS has shown that the domain exists. */
function mayNotExist(result: Detection): boolean {
  const { dns, matches = [] } = evidenceOf(result);
  // A list with a mail provider does not show that each host below it exists.
  const isBelowProvider = ({ flag, detail }: Match): boolean => flag === "protected" && detail === undefined;
  return (
    dns?.status === "skipped" &&
    matches.every((match) => match.flag === "role_address" || isUncounted(match) || isBelowProvider(match))
  );
}

const isUncounted = ({ counted }: Match): boolean => counted === false;

function explainClass(result: CheckResult, name: VerdictName): string {
  const { syntax_error: fault, dns, domain_unicode: domain, matches = [], warnings = [] } = evidenceOf(result);
  const intended = matches.find(({ flag }) => flag === "mistyped")?.detail;
  const dnsText = dns && `DNS: ${DNS_STATUS_TEXTS[dns.status]}`;
  const sentences: Partial<Record<VerdictName, string | undefined>> = {
    perhaps_incomplete: `the word “${result.word_before}” before the address may be part of it`,
    ok: matches.some(isUncounted)
      ? `${domain} is only in lists below the minimum confidence`
      : `nothing is known against the domain${mayNotExist(result) ? ", but DNS was not asked whether it exists" : ""}`,
    duplicate: `same mailbox as ${escapeInvisible(result.duplicate_of ?? "")}`,
    invalid: fault && describeFault(fault, result.email),
    disposable: result.syntax_validation ? explainDisposable(result) : undefined,
    relay: result.relay_provider && `forwards to a hidden mailbox, by ${humanize(result.relay_provider)}`,
    mistyped:
      intended === undefined ? "the domain is probably misspelled" : `${domain} is a known mistake for ${intended}`,
    public: "the domain is a consumer mailbox provider",
    suspicious: warnings.includes("mixed_script_local_part")
      ? "the part before the @ mixes scripts, such as Latin and Cyrillic"
      : warnings.includes("typographic_local_part")
        ? "the part before the @ has typographic punctuation, such as ’ instead of '"
        : undefined,
    no_mail: dnsText,
    unknown: dnsText && `in no list; ${dnsText}`,
  };
  return toSentence(sentences[name] ?? CLASS_MEANINGS[name as RowClass]);
}

/** Names the character or the top-level domain at which an address is malformed. */
function describeFault({ message, offset }: SyntaxFault, email: string): string {
  const [character = ""] = email.slice(offset);
  return message
    .replace("this character", `the character ${escapeInvisible(character)}`)
    .replace("top-level domain", `top-level domain ${escapeInvisible(email.replace(/.*[.@]/s, ""))}`);
}

function explainDisposable(detection: ValidDetection): string {
  const { matches = [] } = evidenceOf(detection);
  if (detection.detection_source === "override") return "An override of your team says so.";
  if (detection.detection_source === "live_dns") return "Its mail server belongs to a disposable service.";
  const counted = matches.filter((match) => match.flag === "disposable" && !isUncounted(match));
  const lists = counted.flatMap(({ sources }) => sources);
  const domain = counted[0]?.entry ?? "the domain";
  return `${pluralize(lists.length, "list says", "lists say")} that ${domain} offers disposable addresses.`;
}

/** Returns the classes and kinds of a result that its verdict does not name. */
export function listLabels(result: CheckResult): string[] {
  const { domain_kind: kind = [], mail_provider: mail } = evidenceOf(result);
  const named: readonly string[] = ["valid", ...namesOf(result)];
  const names = new Set([...shownClasses(result), kind].flat().filter((name) => !named.includes(name)));
  return [...names, mail === undefined ? [] : `mail at ${mail}`].flat().map(humanize);
}

const MATCH_KIND_TEXTS: Readonly<Record<Match["kind"], string>> = {
  exact: "",
  parent: "parent domain",
  family: "subdomain of a user",
  role: "local part",
  typo: "",
  mx: "mail server",
  mx_address: "address of the mail server",
  override: "override of your team",
};

export function describeMatch({ flag, kind, counted }: Match): string {
  const name = flag === "protected" ? "never disposable" : humanize(flag);
  const parts = [name, MATCH_KIND_TEXTS[kind], counted === false ? "below the minimum confidence" : ""];
  return parts.filter((part) => part !== "").join(", ");
}

/** Formats the results as spreadsheet-safe CSV: address, list, verdict and reason, then columns of the command line. */
export function formatCsv(results: readonly CheckResult[]): string {
  const rows = results.map((result) => {
    const { syntax_error: fault, suggestion } = evidenceOf(result);
    const fields = ADDED_COLUMNS.map((name) => (result as Partial<ValidDetection>)[name]);
    const [, verdict, sentences] = describeVerdict(result);
    const { email, duplicate_of: first, corrected_from: original } = result;
    const classes = shownClasses(result).join("; ");
    const reason = [nameList(result), verdict, sentences];
    return [email, ...reason, ...fields, fault?.code, suggestion, original, first, classes];
  });
  const formatLine = (values: readonly unknown[]): string =>
    `${values.map((value) => formatCsvField(String(value ?? ""), COMMA, true)).join()}\n`;
  const otherColumns = ["fault", "suggestion", "corrected_from", "duplicate_of", "classes"];
  return [["email", "list", "verdict", "reason", ...ADDED_COLUMNS, ...otherColumns], ...rows].map(formatLine).join("");
}

/**
 * Adds the class `duplicate`, and the earlier address, to each result with the mailbox of an earlier one. If a correction
 * made their addresses the same, the later result is undefined.
 */
export function markDuplicates(results: readonly CheckResult[]): (CheckResult | undefined)[] {
  const firsts = new Map<string, CheckResult>();
  return results.map((result) => {
    if (!result.syntax_validation) return result;
    const first = firsts.get(result.normalized) ?? result;
    firsts.set(result.normalized, first);
    if (first === result) return result;
    const isCorrected = (result.corrected_from ?? first.corrected_from) !== undefined;
    if (isCorrected && first.email === result.email) return undefined;
    return { ...result, classes: [...result.classes, "duplicate"], duplicate_of: first.email };
  });
}

/** Returns what the results of a group of groupByVerdict() have in common. */
export function describeGroup(name: string): string {
  const reason = "The column “reason” of the CSV has the reason for each.";
  const texts: Readonly<Record<string, string>> = {
    all: "",
    clean:
      "Each mailbox once, without invalid, mistyped, disposable and doubtful addresses, or domains without mail (if DNS was asked).",
    doubtful: `Usable, but look at them first: the clean list of a file would include them. ${reason}`,
    not_clean: reason,
    duplicate: "Same mailbox as an earlier address.",
  };
  return texts[name] ?? toSentence(CLASS_MEANINGS[name as RowClass]);
}

/** Groups the results by class, in the order of the summary, after "all" and the groups of nameList(). */
export function groupByVerdict(results: readonly CheckResult[]): ReadonlyMap<string, readonly CheckResult[]> {
  const groups = new Map<string, readonly CheckResult[]>([["all", results]]);
  const addGroup = (name: string, isIn: (result: CheckResult) => boolean): void => {
    const group = results.filter(isIn);
    if (group.length > 0) groups.set(name, group);
  };
  for (const list of Object.keys(TONES)) addGroup(list.replace(" ", "_"), (result) => nameList(result) === list);
  for (const name of Object.keys(ROW_CLASS) as RowClass[])
    addGroup(name, (result) => shownClasses(result).includes(name));
  return groups;
}

/** Returns the evidence, which is empty if it was not requested. */
export function evidenceOf({ explain }: Detection): Partial<Explanation> {
  return explain ?? {};
}
