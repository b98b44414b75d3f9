// The human table: what each address is and why, in colour on a terminal.

import type { ChalkInstance } from "chalk";
import type Table from "cli-table3";
import type { Renderer } from "../../../bulk/render.ts";
import type { Row } from "../../../bulk/rows/row.ts";
import type { ByteWriter } from "../../../bytes/byte-writer.ts";
import { asciiText, decodeUtf8 } from "../../../bytes/octets.ts";
import type { Classifier } from "../../../detection/classifier.ts";
import type { Explanation, Match } from "../../../detection/evidence.ts";
import { shownEmail } from "../../../detection/format.ts";
import { isAnswer, type RoutingStatus } from "../../../detection/routing.ts";
import type { Host } from "../../open/compose.ts";
import { shownText } from "../../terminal/escape.ts";
import { isTerminal } from "../../terminal/streams.ts";
import { joinWords, type Line, plain, wrapLine } from "../../terminal/wrap.ts";

// A long input is shown table by table, so that memory stays bounded.
const ROWS_IN_A_TABLE = 500;
const DEFAULT_WIDTH = 120;
const GAP = 2;
const VERDICT_WIDTH = 28;
const FLAG_NAMES: Readonly<Record<Match["flag"], string>> = {
  disposable: "disposable",
  relay_domain: "relay",
  public_domain: "public",
  role_address: "role",
  protected: "protected",
};

// Answers of DNS that say that no mail gets to the domain.
const NO_MAIL: Readonly<Partial<Record<RoutingStatus, string>>> = {
  nxdomain: "there is no such domain",
  null_mx: "the domain takes no mail",
  no_mail: "neither exchanger nor address",
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
  /** Rows of cells of lines. */
  private rows: Line[][][] = [];

  private constructor(look: Look, full: boolean) {
    this.look = look;
    this.full = full;
  }

  /** `full` adds the evidence that --explain asks for. */
  static async create(host: Host, colour: boolean, full: boolean): Promise<TableRenderer> {
    const TableClass = host.load("cli-table3") as typeof Table;
    return new TableRenderer({ paint: await createPaint(colour), TableClass, width: terminalWidth(host) }, full);
  }

  begin(): void {}

  row(out: ByteWriter, row: Row, classifier: Classifier, explanation: Explanation | undefined): void {
    const email = plain(shownText(shownEmail(row.octets, row.start, row.end)));
    this.rows.push([
      [email],
      this.verdict(classifier, explanation),
      [plain(normalized(classifier))],
      this.reasons(explanation),
    ]);
    if (this.rows.length >= ROWS_IN_A_TABLE) this.end(out);
  }

  end(out: ByteWriter): void {
    if (this.rows.length === 0) return;
    const { paint, TableClass } = this.look;
    const widths = columnWidths(this.rows, this.look.width);
    const table = new TableClass({
      head: ["ADDRESS", "VERDICT", "NORMALIZED", "WHY"].map((title) => paint.bold(title)),
      style: { head: [], border: [], compact: true, "padding-left": 0, "padding-right": GAP },
      chars: NO_BORDERS,
      colWidths: widths,
    });
    // Text is wrapped before it is painted: nothing may cut a colour sequence in two.
    const cell = (lines: readonly Line[], width: number): string =>
      lines.flatMap((line) => wrapLine(line, width - GAP)).join("\n");
    for (const row of this.rows) table.push(row.map((lines, column) => cell(lines, widths[column] as number)));
    out.text(`${table.toString().replace(/[ \t]+$/gm, "")}\n`);
    this.rows = [];
  }

  private verdict(classifier: Classifier, explanation: Explanation | undefined): Line[] {
    const { paint } = this.look;
    if (explanation === undefined) return [{ text: "blank", paint: paint.dim }];
    if (classifier.fault !== undefined) return [{ text: "invalid", paint: paint.red }];
    const { verdict, role, subaddressing } = classifier;
    const words: Line[] = [];
    if (verdict.disposable) words.push({ text: "disposable", paint: paint.red });
    if (verdict.relayProvider !== undefined)
      words.push({ text: `relay ${verdict.relayProvider}`, paint: paint.yellow });
    if (verdict.publicDomain) words.push({ text: "public", paint: paint.cyan });
    if (words.length === 0) words.push(this.nothingAgainst(explanation.dns?.status ?? "skipped"));
    if (role) words.push({ text: "role", paint: paint.magenta });
    if (subaddressing) words.push({ text: "tag", paint: paint.blue });
    return joinWords(words, VERDICT_WIDTH);
  }

  /** Of an address with nothing against it: "ok", unless DNS says that no mail gets there or was asked in vain. */
  private nothingAgainst(status: RoutingStatus): Line {
    const { paint } = this.look;
    if (NO_MAIL[status] !== undefined) return { text: "no mail", paint: paint.yellow };
    if (isDoubt(status)) return { text: "unknown", paint: paint.yellow };
    return { text: "ok", paint: paint.green };
  }

  private reasons(explanation: Explanation | undefined): Line[] {
    if (explanation === undefined) return [plain("")];
    const { paint } = this.look;
    const { syntax_error: fault, suggestion, canonicalization, matches = [], warnings = [], dns } = explanation;
    const lines: Line[] = [];
    if (fault !== undefined) lines.push(plain(`${fault.message}, at ${fault.offset} (${fault.reference})`));
    for (const match of matches) lines.push(plain(this.reason(match)));
    if (canonicalization?.tag !== undefined) lines.push(plain(`tag "${shownText(canonicalization.tag)}"`));
    const routed = dnsReason(dns?.status ?? "skipped");
    if (routed !== undefined) lines.push({ text: `DNS: ${routed}`, paint: paint.yellow });
    for (const warning of warnings) lines.push({ text: warning.replaceAll("_", " "), paint: paint.yellow });
    if (suggestion !== undefined) lines.push({ text: `did you mean ${shownText(suggestion)}?`, paint: paint.yellow });
    if (this.full) lines.push(...details(explanation).map((text) => ({ text, paint: paint.dim })));
    return lines.length === 0 ? [plain("")] : lines;
  }

  private reason(match: Match): string {
    const sure = match.confidence === undefined ? "" : `, ${match.confidence}`;
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

/** Columns of the terminal. Some say that they have none; and asking for what is no terminal would open a stream on it. */
function terminalWidth(host: Host): number {
  return (isTerminal(1, host.load) ? process.stdout.columns : 0) || DEFAULT_WIDTH;
}

function normalized(classifier: Classifier): string {
  if (classifier.fault !== undefined) return "";
  const { canonical, domainOctets, domainStart, domainEnd } = classifier;
  const localPart = decodeUtf8(canonical.octets, canonical.start, canonical.end);
  return shownText(`${localPart}@${asciiText(domainOctets, domainStart, domainEnd)}`);
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

/** Colours, or none when the output takes none or `colour` is false. */
export async function createPaint(colour: boolean): Promise<ChalkInstance> {
  const { Chalk, supportsColor } = await import("chalk");
  const { NO_COLOR } = process.env;
  const level = colour && (NO_COLOR === undefined || NO_COLOR === "") && supportsColor ? supportsColor.level : 0;
  return new Chalk({ level });
}

/** Characters of a table without lines. */
export const NO_BORDERS: Readonly<Record<string, string>> = Object.fromEntries(
  ["top", "bottom", "left", "right"]
    .flatMap((side) => [side, `${side}-mid`, `${side}-left`, `${side}-right`])
    .concat(["mid", "mid-mid", "left-mid", "right-mid", "middle"])
    .map((name) => [name, ""]),
);

/** Widths that fit the terminal: each column as wide as its longest line, within bounds; the last one gets what is left. */
function columnWidths(rows: readonly (readonly Line[][])[], width: number): number[] {
  const longest = (column: number): number =>
    Math.max(10, ...rows.flatMap((row) => (row[column] as Line[]).map((line) => line.text.length)));
  const address = Math.min(longest(0), Math.max(24, Math.floor(width * 0.3))) + GAP;
  const verdict = Math.min(longest(1), VERDICT_WIDTH) + GAP;
  const canonical = Math.min(longest(2), Math.max(24, Math.floor(width * 0.3))) + GAP;
  return [address, verdict, canonical, Math.max(30, width - address - verdict - canonical)];
}
