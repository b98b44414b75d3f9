// The human table: the verdict on each address and its reasons, in colour on a terminal.

import type { ByteWriter } from "../../../base/bytes/byte-writer.ts";
import type { FieldChoice, Renderer } from "../../../bulk/render/render.ts";
import { placeValue } from "../../../bulk/render/row-fields.ts";
import type { Row } from "../../../bulk/rows/row.ts";
import type { Classifier } from "../../../detection/classifier.ts";
import type { Explanation, Match } from "../../../detection/evidence.ts";
import { ADDED_COLUMNS, type AddedColumn, domainFlags, type Field, flagsOf } from "../../../detection/fields.ts";
import { shownEmail } from "../../../detection/format.ts";
import { isAnswer, type RoutingStatus } from "../../../detection/routing.ts";
import { shownText } from "../../terminal/say.ts";
import {
  type Cell,
  type Column,
  DEFAULT_WIDTH,
  loadTableTools,
  renderTable,
  screenWidth,
  type TableScreen,
  type TableTools,
} from "../../terminal/text-table.ts";

// A long input is shown as several tables, so that memory stays bounded.
const ROWS_IN_A_TABLE = 500;
const FLAG_NAMES: Readonly<Record<Match["flag"], string>> = {
  disposable: "disposable",
  relay_domain: "relay",
  public_domain: "public",
  role_address: "role",
  protected: "protected",
  mistyped: "mistyped",
  parked: "parked",
};

// DNS answers that say that the domain gets no mail.
const NO_MAIL: Readonly<Partial<Record<RoutingStatus, string>>> = {
  nxdomain: "there is no such domain",
  null_mx: "the domain takes no mail",
  no_mail: "neither exchanger nor address",
};

const ADDRESS: Column = { title: "ADDRESS", exact: true };
const COLUMNS: readonly Column[] = [ADDRESS, { title: "VERDICT" }, { title: "WHY", least: 30, untitled: true }];

/** Rows as a table: the address, its canonical form if that differs, the verdict, the reasons. */
export class TableRenderer implements Renderer {
  private readonly columns: readonly Column[];
  private rows: Cell[][] = [];
  private file = "-";

  private constructor(
    private readonly tools: TableTools,
    private readonly width: number,
    private readonly full: boolean,
    private readonly fields: FieldChoice | undefined,
  ) {
    this.columns = fields === undefined ? COLUMNS : [ADDRESS, ...fields.names.map(fieldColumn)];
  }

  /** Loads what tables need. `full` adds the evidence that --explain asks for; chosen fields are columns instead of the verdict. */
  static async creator(
    screen: TableScreen,
    colour: boolean,
    full: boolean,
  ): Promise<(fields: FieldChoice | undefined) => TableRenderer> {
    const tools = await loadTableTools(screen, colour);
    return (fields) => new TableRenderer(tools, screenWidth(screen, DEFAULT_WIDTH), full, fields);
  }

  beginInput(name: string): void {
    this.file = name;
  }

  begin(): void {}

  row(out: ByteWriter, row: Row, classifier: Classifier, explanation: Explanation | undefined): void {
    const email = shownText(shownEmail(row.octets, row.start, row.end));
    const { place } = row;
    const at = place === undefined ? [] : [`${shownText(place.file ?? this.file)}:${place.line}:${place.column}`];
    if (this.fields !== undefined) {
      this.rows.push([[email, ...at], ...this.fields.names.map((name) => [this.field(name, row, classifier)])]);
      if (this.rows.length >= ROWS_IN_A_TABLE) this.end(out);
      return;
    }
    const canonical = shownNormalized(classifier);
    const address = canonical === "" || canonical === email ? [email] : [email, `→ ${canonical}`];
    this.rows.push([[...address, ...at], [this.verdict(classifier, explanation)], this.reasons(explanation)]);
    if (this.rows.length >= ROWS_IN_A_TABLE) this.end(out);
  }

  pause(out: ByteWriter): void {
    this.end(out);
  }

  end(out: ByteWriter): void {
    if (this.rows.length === 0) return;
    out.text(renderTable(this.columns, this.rows, this.width, this.tools));
    this.rows = [];
  }

  private field(name: Field, row: Row, classifier: Classifier): string {
    if (name === "row" || name === "duplicate_of") return shownText(String(placeValue(name, row) ?? ""));
    if (row.isNull) return "";
    const { fault } = classifier;
    if (name === "syntax_validation") return String(fault === undefined);
    if (name === "normalized") return shownNormalized(classifier);
    if (!isAdded(name)) {
      const value = this.fields?.reader.value(name, row.octets, row.start, row.end, classifier);
      return shownText(typeof value === "object" ? value.join("; ") : String(value ?? ""));
    }
    if (fault !== undefined) return "";
    const { verdict, subaddressing, role, ofDomains } = classifier;
    const flags: Readonly<Record<string, unknown>> = ofDomains
      ? domainFlags(verdict)
      : flagsOf(verdict, subaddressing, role);
    return String(flags[name] ?? "");
  }

  private verdict(classifier: Classifier, explanation: Explanation | undefined): string {
    const { paint } = this.tools;
    if (explanation === undefined) return paint.dim("blank");
    if (classifier.fault !== undefined) return paint.red("invalid");
    const { verdict, role, subaddressing } = classifier;
    const words: string[] = [];
    if (verdict.disposable) words.push(paint.red("disposable"));
    if (verdict.relayProvider !== undefined) words.push(paint.yellow(`relay ${verdict.relayProvider}`));
    if (verdict.publicDomain) words.push(paint.cyan("public"));
    if (verdict.reserved) words.push(paint.yellow("reserved"));
    if (verdict.mistyped) words.push(paint.yellow("mistyped"));
    if (verdict.suspicious) words.push(paint.yellow("suspicious"));
    if (verdict.noMail) words.push(paint.yellow("no mail"));
    if (verdict.unknown) words.push(paint.yellow("unknown"));
    if (words.length === 0) words.push(paint.green("ok"));
    if (role) words.push(paint.magenta("role"));
    if (subaddressing) words.push(paint.blueBright("subaddressed"));
    return words.join(", ");
  }

  private reasons(explanation: Explanation | undefined): string[] {
    if (explanation === undefined) return [];
    const { paint } = this.tools;
    const { syntax_error: fault, suggestion, canonicalization, matches = [], warnings = [], dns } = explanation;
    const lines: string[] = [];
    if (fault !== undefined) lines.push(`${fault.message}, at offset ${fault.offset} (${fault.reference})`);
    for (const match of matches) lines.push(this.reason(match));
    if (canonicalization?.tag !== undefined) lines.push(`tag "${shownText(canonicalization.tag)}"`);
    const routed = dnsReason(dns?.status ?? "skipped");
    if (routed !== undefined) lines.push(paint.yellow(`DNS: ${routed}`));
    for (const warning of warnings) lines.push(paint.yellow(warning.replaceAll("_", " ")));
    if (suggestion !== undefined) lines.push(paint.yellow(`did you mean ${shownText(suggestion)}?`));
    if (this.full) lines.push(...details(explanation).map((text) => paint.dim(text)));
    return lines;
  }

  private reason(match: Match): string {
    if (match.kind === "override") return `${shownText(match.entry)}: ${shownText(match.detail ?? "")}`;
    const counted = match.counted === false ? ", not counted" : "";
    const sure = match.confidence === undefined ? "" : `, ${match.confidence}${counted}`;
    const sources = this.full ? ` by ${match.sources.join(", ")}` : "";
    return `${FLAG_NAMES[match.flag]}: ${shownText(match.entry)} (${match.kind}${sure})${sources}`;
  }
}

function dnsReason(status: RoutingStatus): string | undefined {
  return isDoubt(status) ? status : NO_MAIL[status];
}

/** DNS was asked and gave no answer. */
function isDoubt(status: RoutingStatus): boolean {
  return status !== "skipped" && !isAnswer(status);
}

function fieldColumn(name: Field): Column {
  return { title: name.replaceAll("_", " ").toUpperCase() };
}

function isAdded(name: Field): name is AddedColumn {
  return (ADDED_COLUMNS as readonly string[]).includes(name);
}

function details(explanation: Explanation): string[] {
  const { canonicalization, domain_unicode, domain, registrable_domain, mail_provider, dns, data_version } =
    explanation;
  const lines = [];
  if (canonicalization !== undefined) {
    lines.push(
      `canonical by ${canonicalization.provider}: ${canonicalization.rules.join(", ") || "nothing to change"}`,
    );
  }
  if (domain_unicode !== undefined && domain_unicode !== domain) lines.push(`domain ${shownText(domain_unicode)}`);
  if (registrable_domain !== undefined) lines.push(`registrable domain ${registrable_domain}`);
  if (mail_provider !== undefined) lines.push(`mail provider ${mail_provider}`);
  if (dns !== undefined) lines.push(`DNS ${dns.status}`);
  return [...lines, `data ${data_version}`];
}

function shownNormalized(classifier: Classifier): string {
  return classifier.fault === undefined ? shownText(classifier.normalized) : "";
}
