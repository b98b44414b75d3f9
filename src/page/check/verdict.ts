// Words for people about a detection. Every word follows from a field.

import { pluralize } from "../../base/format-text.ts";
import type { Detection, ValidDetection } from "../../detection/detection.ts";
import type { Explanation, Match } from "../../detection/evidence.ts";
import type { RoutingStatus } from "../../detection/routing.ts";
import { toSentence } from "../common/api.ts";
import { type Bar, humanize, type Tone } from "../common/text.ts";

export const DNS_STATUS_TEXTS: Readonly<Record<RoutingStatus, string>> = {
  skipped: "was not asked",
  ok: "the domain has mail exchangers",
  implicit_mx: "the domain has no mail exchanger, but an address that may take mail",
  null_mx: "the domain says that it takes no mail",
  no_mail: "the domain has no mail exchanger and no address",
  nxdomain: "the domain does not exist",
  timeout: "gave no answer in time",
  servfail: "failed to answer",
  refused: "refused to answer",
  error: "could not be asked",
};

const NO_MAIL_STATUSES: ReadonlySet<RoutingStatus> = new Set(["null_mx", "no_mail", "nxdomain"]);
const UNANSWERED_STATUSES: ReadonlySet<RoutingStatus> = new Set(["timeout", "servfail", "refused", "error"]);

export function describeVerdict(detection: Detection): readonly [tone: Tone, title: string, sentence: string] {
  const { syntax_error: fault, dns, domain_unicode: domain = "", matches = [], warnings = [] } = evidenceOf(detection);
  if (!detection.syntax_validation)
    return ["bad", "Not a valid address", fault === undefined ? "" : toSentence(fault.message)];
  if (detection.disposable) return ["bad", "Disposable address", explainDisposable(detection)];
  if (dns !== undefined && NO_MAIL_STATUSES.has(dns.status))
    return ["bad", "Takes no mail", `DNS: ${DNS_STATUS_TEXTS[dns.status]}.`];
  const provider = humanize(detection.relay_provider ?? "a service");
  if (detection.relay_domain)
    return ["warn", "Privacy relay", `Mail is forwarded by ${provider} to an address behind it.`];
  if (detection.role_address)
    return ["warn", "Shared inbox", "The name is that of a role, which several people may read."];
  if (dns !== undefined && UNANSWERED_STATUSES.has(dns.status))
    return ["plain", "Valid, not settled", `No list knows the domain, and DNS ${DNS_STATUS_TEXTS[dns.status]}.`];
  const intended = matches.find(({ flag }) => flag === "mistyped")?.detail;
  if (intended !== undefined)
    return ["warn", "Mistyped domain", `${domain} is a registered misspelling of ${intended}.`];
  if (warnings.length > 0) return ["warn", "Suspicious domain", `${domain}: ${warnings.map(humanize).join(", ")}.`];
  if (detection.public_domain) return ["good", "Personal mailbox", `${domain} is a consumer mailbox provider.`];
  return ["good", "Valid address", "Nothing is known against it."];
}

function explainDisposable(detection: ValidDetection): string {
  const { matches = [], domain_unicode: domain = "The domain" } = evidenceOf(detection);
  if (detection.detection_source === "override") return "A decision of your team says so.";
  const counting = matches.filter(({ flag, counted: counts }) => flag === "disposable" && counts !== false);
  const lists = counting.flatMap(({ sources }) => sources);
  const what = "belongs to a service of throw-away addresses";
  if (detection.detection_source === "live_dns") return `Its mail exchanger ${what}.`;
  return `${pluralize(lists.length, "list says", "lists say")} that ${domain} ${what}.`;
}

export function listLabels(detection: Detection): string[] {
  if (!detection.syntax_validation) return [];
  const { domain_kind: kind, mail_provider: mail } = evidenceOf(detection);
  const labels = [
    "valid",
    detection.disposable && "disposable",
    detection.relay_domain && "relay",
    detection.public_domain && "public",
    detection.role_address && "role",
    detection.subaddressing && "subaddressed",
    kind !== undefined && humanize(kind),
    mail !== undefined && `mail at ${humanize(mail)}`,
  ];
  return labels.filter((label) => label !== false);
}

export function describeMatch({ flag, kind, counted: counts }: Match): string {
  const how = { exact: "", parent: "a domain above it", family: "a user's subdomain", role: "the name", typo: "" };
  const by = { mx: "its mail exchanger", mx_address: "its mail exchanger's address", override: "your team's decision" };
  const found = { ...how, ...by }[kind];
  const parts = [humanize(flag), found, counts === false ? "too weak to count" : ""];
  return parts.filter((part) => part !== "").join(", ");
}

/** The number of results with each verdict. */
export function countVerdicts(results: readonly Detection[]): Bar[] {
  const bars = new Map<string, Bar>();
  for (const [tone, name] of results.map(describeVerdict))
    bars.set(name, { id: name, name, count: (bars.get(name)?.count ?? 0) + 1, tone });
  return [...bars.values()];
}

/** The evidence, as far as it was asked for. */
export function evidenceOf({ explain }: Detection): Partial<Explanation> {
  return explain ?? {};
}
