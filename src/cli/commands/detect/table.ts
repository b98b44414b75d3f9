// The format `table`: each address with its verdict and the reasons, for people.

import type { ByteWriter } from "../../../base/bytes/byte-writer.ts";
import { escapeInvisible } from "../../../base/format-text.ts";
import type { Renderer, SelectedFields } from "../../../bulk/render/render.ts";
import { rowNumberValue } from "../../../bulk/render/row-fields.ts";
import type { Row } from "../../../bulk/rows/row.ts";
import { classNames, ROW_CLASS, verdictNames } from "../../../detection/classes.ts";
import type { Classifier } from "../../../detection/classifier.ts";
import type { Explanation, Match } from "../../../detection/evidence.ts";
import { domainFlags, type Field, flagsOf, isAddedColumn } from "../../../detection/fields.ts";
import { formatEmail } from "../../../detection/format.ts";
import { isAnswer, type RoutingStatus } from "../../../detection/routing.ts";
import {
  type Cell,
  type Colors,
  type Column,
  displayWidth,
  maxWordWidth,
  type Screen,
  screenWidth,
  TextTable,
} from "../../terminal/text-table.ts";
import { fileInCommit } from "./lint.ts";

// Columns if standard output is not a terminal and COLUMNS is not set.
const DEFAULT_WIDTH = 80;
// Rows are printed in batches of one screen, but at most this many.
const MAX_BATCH_ROWS = 50;

// DNS answers that mean that the domain accepts no mail.
const NO_MAIL: Readonly<Partial<Record<RoutingStatus, string>>> = {
  nxdomain: "there is no such domain",
  null_mx: "the domain accepts no mail",
  no_mail: "neither exchanger nor address",
};

const ADDRESS: Column = { title: "ADDRESS", preserveSpaces: true };
const COLUMNS: readonly Column[] = [
  ADDRESS,
  { title: "VERDICT", preferredWidth: 14 },
  { title: "WHY", minWidth: 30, untitled: true },
];

/** The other verdicts are yellow. */
const VERDICT_COLORS: Readonly<Record<string, "red" | "cyan" | "green" | "magenta" | "blueBright">> = {
  invalid: "red",
  disposable: "red",
  public: "cyan",
  ok: "green",
  role: "magenta",
  subaddressed: "blueBright",
};

export interface TableOptions {
  /** Show all evidence, as for --explain. */
  readonly isDetailed: boolean;
  /** Print only whole batches: the inputs are files, so rows come without delay. */
  readonly isBatched: boolean;
  /** Bits of the classes of --fail-on. An unreserved address that fails is not "ok". */
  readonly failOn: number;
}

/** Renders rows: the address, its canonical form if different, the verdict, the reasons. */
export class TableRenderer implements Renderer {
  private readonly table: TextTable;
  private readonly addressWidth: number;
  private readonly batchSize: number;
  private rows: Cell[][] = [];
  private file = "-";

  constructor(
    private readonly colors: Colors,
    screen: Screen,
    private readonly options: TableOptions,
    private readonly fields: SelectedFields | undefined,
  ) {
    const [first, ...others] =
      fields === undefined
        ? COLUMNS
        : [ADDRESS, ...fields.names.map((name) => ({ title: name.replaceAll("_", " ").toUpperCase() }))];
    const width = screenWidth(screen, DEFAULT_WIDTH);
    this.addressWidth = maxWordWidth(width);
    this.batchSize = Math.min(MAX_BATCH_ROWS, screen.stdout.rows ?? MAX_BATCH_ROWS);
    this.table = new TextTable([{ ...(first as Column), preferredWidth: this.addressWidth }, ...others], width, colors);
  }

  beginInput(name: string): void {
    this.file = name;
  }

  row(out: ByteWriter, row: Row, classifier: Classifier, explanation: Explanation | undefined): void {
    const email = escapeInvisible(formatEmail(row.bytes, row.start, row.end));
    const location = this.formatLocation(row);
    if (this.fields !== undefined) {
      this.rows.push([
        [email, ...location],
        ...this.fields.names.map((name) => [this.formatField(name, row, classifier)]),
      ]);
    } else {
      const caret = this.formatCaret(explanation?.syntax_error?.offset, row);
      const canonical = displayNormalized(classifier);
      const note = canonical === "" || canonical === email ? caret : [`→ ${canonical}`];
      const verdict = this.formatVerdict(row, classifier, explanation);
      const reasons = this.listReasons(explanation, verdict, caret.length > 0);
      this.rows.push([[email, ...note, ...location], [verdict], reasons]);
    }
    if (this.rows.length >= this.batchSize) this.writeTable(out, true);
  }

  flush(out: ByteWriter): void {
    if (!this.options.isBatched) this.writeTable(out, true);
  }

  end(out: ByteWriter): void {
    this.writeTable(out, false);
  }

  private writeTable(out: ByteWriter, hasMore: boolean): void {
    if (this.rows.length > 0) out.text(this.table.format(this.rows, hasMore));
    this.rows = [];
  }

  private formatLocation({ location }: Row): string[] {
    if (location === undefined) return [];
    return [
      `${escapeInvisible(fileInCommit(location.commit, location.file ?? this.file))}:${location.line}:${location.column}`,
    ];
  }

  private formatCaret(offset: number | undefined, { bytes, start, end }: Row): string[] {
    if (offset === undefined || start === end) return [];
    const email = formatEmail(bytes, start, end);
    const before = displayWidth(escapeInvisible(email.slice(0, offset)));
    const width = Math.max(before + 1, displayWidth(escapeInvisible(email)));
    return width > this.addressWidth ? [] : [" ".repeat(before) + this.colors.red("^")];
  }

  private formatField(name: Field, row: Row, classifier: Classifier): string {
    if (name === "row" || name === "duplicate_of") return escapeInvisible(String(rowNumberValue(name, row) ?? ""));
    if (row.isNull) return "";
    if (name === "classes") return classNames(row.classes).join("; ");
    const { fault } = classifier;
    if (name === "syntax_validation") return String(fault === undefined);
    if (name === "normalized") return displayNormalized(classifier);
    if (!isAddedColumn(name)) {
      const value = this.fields?.reader.read(name, row.bytes, row.start, row.end, classifier);
      return escapeInvisible(typeof value === "object" ? value.join("; ") : String(value ?? ""));
    }
    if (fault !== undefined) return "";
    const { verdict, hasTag, isRole, classifiesDomains } = classifier;
    const flags = classifiesDomains ? domainFlags(verdict) : flagsOf(verdict, hasTag, isRole);
    return String((flags as Readonly<Record<string, unknown>>)[name] ?? "");
  }

  private formatVerdict({ classes }: Row, classifier: Classifier, explanation: Explanation | undefined): string {
    const { colors } = this;
    if (explanation === undefined) return colors.dim("blank");
    const ok = (classes & this.options.failOn & ROW_CLASS.unreserved) === 0 ? "ok" : "unreserved";
    const words = verdictNames(classNames(classes)).map((verdict) => {
      const name = verdict === "ok" ? ok : verdict;
      const word = name === "relay" ? `relay ${classifier.verdict.relayProvider}` : name.replaceAll("_", " ");
      return colors[VERDICT_COLORS[name] ?? "yellow"](word);
    });
    return words.join(", ");
  }

  private listReasons(explanation: Explanation | undefined, verdict: string, hasCaret: boolean): string[] {
    if (explanation === undefined) return [];
    const { colors } = this;
    const { syntax_error: fault, suggestion, canonicalization, matches = [], warnings = [], dns } = explanation;
    const lines: string[] = [];
    if (fault !== undefined) {
      const offset = hasCaret ? "" : `, at offset ${fault.offset}`;
      lines.push(`${fault.message}${offset} (${fault.reference})`);
    }
    for (const match of matches) lines.push(this.formatMatch(match, verdict));
    if (canonicalization?.tag !== undefined) lines.push(`tag "${escapeInvisible(canonicalization.tag)}"`);
    const status = dns?.status ?? "skipped";
    const dnsReason = status === "skipped" || isAnswer(status) ? NO_MAIL[status] : status;
    if (dnsReason !== undefined) lines.push(colors.yellow(`DNS: ${dnsReason}`));
    for (const warning of warnings) lines.push(colors.yellow(warning.replaceAll("_", " ")));
    if (suggestion !== undefined) lines.push(colors.yellow(`did you mean ${escapeInvisible(suggestion)}?`));
    if (this.options.isDetailed) lines.push(...listDetails(explanation).map((text) => colors.dim(text)));
    return lines;
  }

  /** Formats the entry that matched, with its flag unless the verdict has it. */
  private formatMatch(match: Match, verdict: string): string {
    if (match.kind === "override") return `${escapeInvisible(match.entry)}: ${escapeInvisible(match.detail ?? "")}`;
    const [flag = ""] = match.flag.split("_");
    const label = verdict.includes(flag) ? "" : `${flag}: `;
    const entry = `${escapeInvisible(match.entry)}${flag === "role" ? "@" : ""}`;
    const facts = [
      match.kind === flag ? [] : match.kind,
      match.confidence ?? [],
      match.counted === false ? "not counted" : [],
    ];
    const joinedFacts = facts.flat().join(", ");
    const sources = this.options.isDetailed ? ` by ${match.sources.join(", ")}` : "";
    return `${label}${entry}${joinedFacts === "" ? "" : ` (${joinedFacts})`}${sources}`;
  }
}

function listDetails(explanation: Explanation): string[] {
  const { canonicalization: canonical, domain_unicode, domain, registrable_domain, mail_provider, dns } = explanation;
  const lines = [];
  if (canonical !== undefined) {
    lines.push(`canonical form by ${canonical.provider} rules: ${canonical.rules.join(", ") || "no change"}`);
  }
  if (domain_unicode !== undefined && domain_unicode !== domain)
    lines.push(`domain ${escapeInvisible(domain_unicode)}`);
  if (registrable_domain !== undefined) lines.push(`registrable domain ${registrable_domain}`);
  if (mail_provider !== undefined) lines.push(`mail provider ${mail_provider}`);
  if (dns !== undefined) lines.push(`DNS ${dns.status}`);
  return [...lines, `data ${explanation.data_version}`];
}

function displayNormalized(classifier: Classifier): string {
  return classifier.fault === undefined ? escapeInvisible(classifier.normalized) : "";
}
