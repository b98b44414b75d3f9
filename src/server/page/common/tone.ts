// What a colour says, and a count that is shown as a bar. Types only.

/** Good, bad, worth a look, or nothing. */
export type Tone = "good" | "bad" | "warn" | "plain";

export interface Bar {
  readonly name: string;
  readonly count: number;
  readonly tone: Tone;
}
