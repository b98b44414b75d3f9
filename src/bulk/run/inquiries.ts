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

  /** Asks for a domain's routing. */
  ask(domain: string): Inquiry {
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
  /** For each address the inquiry about its domain, if that needs one. */
  private readonly inquiries: (Inquiry | undefined)[] = [];
  private next = 0;
  /** How many inquiries there are. */
  count = 0;
  /** How many addresses each row has. */
  width = 1;

  get rows(): number {
    return this.inquiries.length / this.width;
  }

  add(inquiry: Inquiry | undefined): void {
    this.inquiries.push(inquiry);
    if (inquiry !== undefined) this.count += 1;
  }

  /** The answer that the next row waits for; undefined when it needs no answer. */
  get awaited(): Inquiry | undefined {
    for (let i = this.next; i < this.next + this.width; i += 1) {
      const inquiry = this.inquiries[i];
      if (inquiry !== undefined && inquiry.routing === undefined) return inquiry;
    }
    return undefined;
  }

  /** Moves to the next address; returns the answer about it, if it was asked for. */
  take(): MailRouting | undefined {
    return this.inquiries[this.next++]?.routing;
  }
}

/** Rows of one piece that may ask. Further ones go into another piece, so that memory stays bounded. */
const QUESTIONS_MAX = 1024;

/** Takes rows ahead of time and asks their questions. It writes and counts nothing. */
export class QuestionCollector implements RowTaker {
  readonly rowNumber = 0;
  private answers: PieceAnswers = new PieceAnswers();

  constructor(
    private readonly classifier: Classifier,
    readonly inquiries: Inquiries,
    readonly turns?: Turns | undefined,
  ) {}

  get full(): boolean {
    return this.answers.count >= QUESTIONS_MAX || this.turns?.over === true;
  }

  /** The answers of the rows taken since the last call. */
  yieldAnswers(): PieceAnswers {
    const { answers } = this;
    this.inquiries.rowsAhead += answers.rows;
    this.answers = new PieceAnswers();
    return answers;
  }

  row(row: Row): boolean {
    this.answers.width = 1 + row.others.length;
    for (const { bytes, start, end, refused } of [row, ...row.others]) {
      const domain = refused === undefined ? this.classifier.question(bytes, start, end) : undefined;
      this.answers.add(domain === undefined ? undefined : this.inquiries.ask(domain));
    }
    return true;
  }

  irregular(): void {}

  passThrough(): void {}
}
