// Colours by what they say, and counts of classes as bars.

import { words } from "./text.ts";

/** Good, bad, worth a look, or nothing. */
export type Tone = "good" | "bad" | "warn" | "plain";

export interface Bar {
  readonly name: string;
  readonly count: number;
  readonly tone: Tone;
}

const TONES: Readonly<Record<string, Tone>> = {
  valid: "good",
  invalid: "bad",
  disposable: "bad",
  no_mail: "bad",
  relay: "warn",
  role: "warn",
};

/** How often each class of the command line was seen; no bar where it never was. A row can be in several classes. */
export function classBars(classes: Readonly<Record<string, number>>): Bar[] {
  return Object.entries(classes)
    .filter(([, count]) => count > 0)
    .map(([name, count]) => ({ name: words(name), count, tone: TONES[name] ?? "plain" }));
}
