// The human table: what each address is and why, in colour on a terminal.

import type { ChalkInstance } from "chalk";
import type Table from "cli-table3";
import { decodeUtf8 } from "../address/octets.ts";
import type { Renderer } from "../bulk/render.ts";
import type { Row } from "../bulk/row.ts";
import type { ByteWriter } from "../detection/byte-writer.ts";
import type { Classifier } from "../detection/classifier.ts";
import type { Explanation, Match } from "../detection/explain.ts";
import { shownEmail } from "../detection/format.ts";
import type { Host } from "./compose.ts";
import { shownText } from "./shown-text.ts";

// A long input is shown table by table, so that memory stays bounded.
const ROWS_IN_A_TABLE = 500;
const FLAG_NAMES: Readonly<Record<Match["flag"], string>> = {
  disposable: "disposable",
  relay_domain: "relay",
  public_domain: "public",
  role_address: "role",
  protected: "protected",
};

interface Look {
  readonly paint: ChalkInstance;
  readonly TableClass: typeof Table;
  readonly width: number;
}

/** Rows as a table with a verdict, the canonical form and the reasons. */
export class TableRenderer implements Renderer {
  private readonly look: Look;
  private readonly full: boolean;
  private rows: string[][] = [];

  private constructor(look: Look, full: boolean) {
    this.look = look;
    this.full = full;
  }

  /** `full` adds the evidence that --explain asks for. */
  static async create(host: Host, colour: boolean, full: boolean): Promise<TableRenderer> {
    const { Chalk, supportsColor } = await import("chalk");
    const { NO_COLOR } = process.env;
    const level = colour && (NO_COLOR === undefined || NO_COLOR === "") && supportsColor ? supportsColor.level : 0;
    const TableClass = host.load("cli-table3") as typeof Table;
    return new TableRenderer({ paint: new Chalk({ level }), TableClass, width: process.stdout.columns ?? 120 }, full);
  }

  begin(): void {}

  row(out: ByteWriter, row: Row, classifier: Classifier, explanation: Explanation | undefined): void {
    const email = shownText(shownEmail(row.octets, row.start, row.end));
    this.rows.push([
      email,
      this.verdict(classifier, row.blank),
      this.normalized(classifier),
      this.reasons(explanation),
    ]);
    if (this.rows.length >= ROWS_IN_A_TABLE) this.end(out);
  }

  end(out: ByteWriter): void {
    if (this.rows.length === 0) return;
    const { paint, TableClass, width } = this.look;
    const head = ["ADDRESS", "VERDICT", "NORMALIZED", "WHY"].map((title) => paint.bold(title));
    const table = new TableClass({
      head,
      style: { head: [], border: [], compact: true, "padding-left": 0, "padding-right": 2 },
      chars: NO_BORDERS,
      colWidths: columnWidths(this.rows, width),
      wordWrap: true,
      wrapOnWordBoundary: false,
    });
    table.push(...this.rows);
    out.text(`${table.toString().replace(/[ \t]+$/gm, "")}\n`);
    this.rows = [];
  }

  private verdict(classifier: Classifier, blank: boolean): string {
    const { paint } = this.look;
    if (blank) return paint.dim("blank");
    if (classifier.fault !== undefined) return paint.red("invalid");
    const { verdict, role, subaddressing } = classifier;
    const words = [];
    if (verdict.disposable) words.push(paint.red("disposable"));
    if (verdict.relayProvider !== undefined) words.push(paint.yellow(`relay ${verdict.relayProvider}`));
    if (verdict.publicDomain) words.push(paint.cyan("public"));
    if (words.length === 0) words.push(paint.green("ok"));
    if (role) words.push(paint.magenta("role"));
    if (subaddressing) words.push(paint.blue("tag"));
    return words.join(", ");
  }

  private normalized(classifier: Classifier): string {
    if (classifier.fault !== undefined) return "";
    const { canonical, domainOctets, domainStart, domainEnd } = classifier;
    const domain = decodeUtf8(domainOctets, domainStart, domainEnd).toLowerCase();
    return shownText(`${decodeUtf8(canonical.octets, canonical.start, canonical.end)}@${domain}`);
  }

  private reasons(explanation: Explanation | undefined): string {
    if (explanation === undefined) return "";
    const { paint } = this.look;
    const lines: string[] = [];
    const { syntax_error: fault, suggestion, canonicalization, matches = [], warnings = [] } = explanation;
    if (fault !== undefined) lines.push(`${fault.message}, at ${fault.offset} (${fault.reference})`);
    for (const match of matches) lines.push(this.reason(match));
    if (canonicalization?.tag !== undefined) lines.push(`tag "${shownText(canonicalization.tag)}"`);
    lines.push(...warnings.map((warning) => paint.yellow(warning.replaceAll("_", " "))));
    if (suggestion !== undefined) lines.push(paint.yellow(`did you mean ${shownText(suggestion)}?`));
    if (this.full) lines.push(...details(explanation).map((line) => paint.dim(line)));
    return lines.join("\n");
  }

  private reason(match: Match): string {
    const sure = match.confidence === undefined ? "" : `, ${match.confidence}`;
    const sources = this.full ? ` by ${match.sources.join(", ")}` : "";
    return `${FLAG_NAMES[match.flag]}: ${shownText(match.entry)} (${match.kind}${sure})${sources}`;
  }
}

function details(explanation: Explanation): string[] {
  const { canonicalization, domain_unicode, domain, registrable_domain, dns, data_version } = explanation;
  const lines = [];
  if (canonicalization !== undefined) {
    lines.push(
      `canonical by ${canonicalization.provider}: ${canonicalization.rules.join(", ") || "nothing to change"}`,
    );
  }
  if (domain_unicode !== undefined && domain_unicode !== domain) lines.push(`domain ${shownText(domain_unicode)}`);
  if (registrable_domain !== undefined) lines.push(`registrable domain ${registrable_domain}`);
  if (dns !== undefined) lines.push(`DNS ${dns.status}`);
  return [...lines, `data ${data_version}`];
}

const NO_BORDERS = Object.fromEntries(
  [
    "top",
    "top-mid",
    "top-left",
    "top-right",
    "bottom",
    "bottom-mid",
    "bottom-left",
    "bottom-right",
    "left",
    "left-mid",
    "mid",
    "mid-mid",
    "right",
    "right-mid",
    "middle",
  ].map((name) => [name, ""]),
);

/** Widths that fit the terminal: each column as wide as its longest text, the last one gets what is left. */
function columnWidths(rows: readonly string[][], width: number): (number | null)[] {
  const longest = (column: number): number =>
    Math.max(10, ...rows.map((row) => Math.max(...(row[column] as string).split("\n").map(visibleLength))));
  const address = Math.min(longest(0), Math.max(24, Math.floor(width * 0.3))) + 2;
  const verdict = Math.min(longest(1), 28) + 2;
  const normalized = Math.min(longest(2), Math.max(24, Math.floor(width * 0.3))) + 2;
  return [address, verdict, normalized, Math.max(24, width - address - verdict - normalized)];
}

function visibleLength(text: string): number {
  return text.replace(/\x1b\[[0-9;]*m/g, "").length;
}
