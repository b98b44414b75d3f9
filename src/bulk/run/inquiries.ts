// DNS lookups in progress. Equal ones share a lookup until the answer is there; then the resolver remembers it.

import type { Classifier } from "../../detection/classifier.ts";
import type { Router } from "../../detection/detector.ts";
import type { MailRouting } from "../../detection/routing.ts";
import type { Turns } from "../ports.ts";
import type { Row, RowTaker } from "../rows/row.ts";

export interface Inquiry {
  readonly arrived: Promise<MailRouting>;
  /** The answer, once it has arrived. */
  routing: MailRouting | undefined;
}

export interface InquiryPort {
  readonly route: Router;
  readonly stop: () => void;
}

/** Asks about each domain only once at a time. */
export class Inquiries {
  /** Rows that were read ahead so far. */
  rowsAhead = 0;
  private readonly open = new Map<string, Inquiry>();
  private stopped = false;

  constructor(private readonly port: InquiryPort) {}

  get openCount(): number {
    return this.open.size;
  }

  /** Asks for a domain's routing. Without a domain there is no inquiry. */
  ask(domain: string | undefined): Inquiry | undefined {
    if (domain === undefined) return undefined;
    const known = this.open.get(domain);
    if (known !== undefined) return known;
    const inquiry: Inquiry = { arrived: this.route(domain), routing: undefined };
    this.open.set(domain, inquiry);
    inquiry.arrived.then(
      (routing) => {
        inquiry.routing = routing;
        this.open.delete(domain);
      },
      // Thrown where the inquiry is awaited.
      () => {},
    );
    return inquiry;
  }

  /** Ends all waiting at once; later questions are not asked. */
  stop(): void {
    this.stopped = true;
    this.port.stop();
  }

  private async route(domain: string): Promise<MailRouting> {
    return this.stopped ? { status: "skipped" } : this.port.route(domain);
  }
}

/** The answers that the rows of one piece wait for, in their order. */
export class PieceAnswers {
  private readonly rows: number[] = [];
  private readonly inquiries: Inquiry[] = [];
  private next = 0;
  private row = 0;
  /** How many addresses each row has. Each of them counts as a row here. */
  width = 1;

  get count(): number {
    return this.rows.length;
  }

  add(row: number, inquiry: Inquiry): void {
    this.rows.push(row);
    this.inquiries.push(inquiry);
  }

  /** The answer that the next row waits for; undefined when it needs no answer. */
  get awaited(): Inquiry | undefined {
    for (let i = this.next; (this.rows[i] as number) < this.row + this.width; i += 1) {
      const inquiry = this.inquiries[i] as Inquiry;
      if (inquiry.routing === undefined) return inquiry;
    }
    return undefined;
  }

  /** Moves to the next row; returns its answer, if it was asked for. */
  take(): MailRouting | undefined {
    const routing = this.rows[this.next] === this.row ? this.inquiries[this.next++]?.routing : undefined;
    this.row += 1;
    return routing;
  }
}

/** Rows of one piece that may ask. Further ones go into another piece, so that memory stays bounded. */
const QUESTIONS_MAX = 1024;

/** Takes rows ahead of time and asks their questions. It writes and counts nothing. */
export class QuestionCollector implements RowTaker {
  rowNumber = 0;
  private readonly turns: Turns | undefined;
  private answers: PieceAnswers = new PieceAnswers();
  private asked = new Map<string, Inquiry>();
  /** Rows before this piece. */
  private before = 0;

  constructor(
    private readonly classifier: Classifier,
    private readonly inquiries: Inquiries,
    turns?: Turns | undefined,
  ) {
    this.turns = turns;
  }

  get full(): boolean {
    return this.answers.count >= QUESTIONS_MAX || this.turns?.over === true;
  }

  /** The answers of the rows taken since the last call. */
  yieldAnswers(): PieceAnswers {
    const { answers } = this;
    this.inquiries.rowsAhead += (this.rowNumber - this.before) / answers.width;
    this.answers = new PieceAnswers();
    this.asked = new Map();
    this.before = this.rowNumber;
    return answers;
  }

  row(row: Row): boolean {
    this.answers.width = 1 + row.others.length;
    this.ask(row);
    for (const other of row.others) this.ask(other);
    return true;
  }

  irregular(): void {}

  passThrough(): void {}

  private ask({ bytes, start, end, refused }: Row): void {
    const domain = refused === undefined ? this.classifier.question(bytes, start, end) : undefined;
    if (domain !== undefined) this.answers.add(this.rowNumber - this.before, this.inquiryOf(domain));
    this.rowNumber += 1;
  }

  private inquiryOf(domain: string): Inquiry {
    let inquiry = this.asked.get(domain);
    if (inquiry === undefined) {
      inquiry = this.inquiries.ask(domain) as Inquiry;
      this.asked.set(domain, inquiry);
    }
    return inquiry;
  }
}
