// Describes a detection in the words of the command line.

import { COMMA } from "../../base/bytes/ascii.ts";
import { pluralize } from "../../base/format-text.ts";
import { formatCsvField } from "../../bulk/render/encodings.ts";
import type { Detection, ValidDetection } from "../../detection/detection.ts";
import type { Explanation, Match } from "../../detection/evidence.ts";
import { ADDED_COLUMNS } from "../../detection/fields.ts";
import type { RoutingStatus } from "../../detection/routing.ts";
import { toSentence } from "../common/api.ts";
import { type Bar, humanize, type Tone } from "../common/text.ts";

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

const NO_MAIL_STATUSES: ReadonlySet<RoutingStatus> = new Set(["null_mx", "no_mail", "nxdomain"]);
const UNANSWERED_STATUSES: ReadonlySet<RoutingStatus> = new Set(["timeout", "servfail", "refused", "error"]);

export function describeVerdict(detection: Detection): readonly [tone: Tone, title: string, sentence: string] {
  const { syntax_error: fault, dns, domain_unicode: domain = "", matches = [], warnings = [] } = evidenceOf(detection);
  if (!detection.syntax_validation) return ["bad", "Invalid", fault === undefined ? "" : toSentence(fault.message)];
  if (detection.disposable) return ["bad", "Disposable", explainDisposable(detection)];
  if (dns !== undefined && NO_MAIL_STATUSES.has(dns.status))
    return ["bad", "No mail", `DNS: ${DNS_STATUS_TEXTS[dns.status]}.`];
  const provider = humanize(detection.relay_provider ?? "a service");
  if (detection.relay_domain)
    return ["warn", "Relay", `A privacy relay: ${provider} forwards mail to the hidden address.`];
  if (detection.role_address) return ["warn", "Role", "The local part names a role: several people may read the mail."];
  if (dns !== undefined && UNANSWERED_STATUSES.has(dns.status))
    return ["plain", "Unknown", `The domain is in no list, and DNS ${DNS_STATUS_TEXTS[dns.status]}.`];
  const intended = matches.find(({ flag }) => flag === "mistyped")?.detail;
  if (intended !== undefined) return ["warn", "Mistyped", `${domain} is a registered misspelling of ${intended}.`];
  if (warnings.length > 0) return ["warn", "Suspicious", `${domain}: ${warnings.map(humanize).join(", ")}.`];
  if (detection.public_domain) return ["good", "Public", `${domain} is a consumer mailbox provider.`];
  return ["good", "Valid", "Nothing is known against it."];
}

function explainDisposable(detection: ValidDetection): string {
  const { matches = [], domain_unicode: domain = "The domain" } = evidenceOf(detection);
  if (detection.detection_source === "override") return "An override of your team says so.";
  const countedMatches = matches.filter(({ flag, counted }) => flag === "disposable" && counted !== false);
  const lists = countedMatches.flatMap(({ sources }) => sources);
  if (detection.detection_source === "live_dns") return "Its mail server belongs to a disposable service.";
  return `${pluralize(lists.length, "list says", "lists say")} that ${domain} offers disposable addresses.`;
}

export function listLabels(detection: Detection): string[] {
  if (!detection.syntax_validation) return [];
  const { domain_kind: kind, mail_provider: mail, warnings = [] } = evidenceOf(detection);
  const labels = [
    "valid",
    detection.disposable && "disposable",
    detection.relay_domain && "relay",
    detection.public_domain && "public",
    detection.role_address && "role",
    detection.subaddressing && "subaddressed",
    kind !== undefined && humanize(kind),
    mail !== undefined && `mail at ${humanize(mail)}`,
    warnings.length > 0 && `suspicious: ${warnings.map(humanize).join(", ")}`,
  ];
  return labels.filter((label) => label !== false);
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
  const parts = [humanize(flag), MATCH_KIND_TEXTS[kind], counted === false ? "below the minimum confidence" : ""];
  return parts.filter((part) => part !== "").join(", ");
}

/** Formats the results as CSV with the columns that the command line adds, and the suggestion. */
export function formatCsv(results: readonly Detection[]): string {
  const rows = results.map((detection) => [
    detection.email,
    ...ADDED_COLUMNS.map((name) => (detection as Partial<ValidDetection>)[name]),
    evidenceOf(detection).suggestion,
  ]);
  const formatLine = (values: readonly unknown[]): string =>
    `${values.map((value) => formatCsvField(String(value ?? ""), COMMA)).join()}\n`;
  return [["email", ...ADDED_COLUMNS, "suggestion"], ...rows].map(formatLine).join("");
}

export function countVerdicts(results: readonly Detection[]): Bar[] {
  const bars = new Map<string, Bar>();
  for (const [tone, name] of results.map(describeVerdict))
    bars.set(name, { id: name, name, count: (bars.get(name)?.count ?? 0) + 1, tone });
  return [...bars.values()];
}

/** Returns the evidence, which is empty if it was not requested. */
export function evidenceOf({ explain }: Detection): Partial<Explanation> {
  return explain ?? {};
}
