// Reads the names of a source's text in one form, and refuses a text that can't be an honest state of the source,
// measured by the state in force.

import { quoted } from "../base/shown.ts";
import { toHostName } from "./names.ts";
import { CurationError, readNames, type SourceKey } from "./sources.ts";

// One name in a hundred; the worst of our sources has one in 30,000.
const JUNK_SHARE_MAX = 0.01;
// A source grows by a few percent in a month, and loses less.
const SHRINKS_TO_AT_LEAST = 0.8;
const GROWS_TO_AT_MOST = 1.5;
// RFC 1035 §2.3.4: no name is longer, so a longer line is not read as one.
const NAME_BYTES_MAX = 253;

// RFC 3696 §2: no top-level label is of digits only.
const DIGITS = /^[0-9]+$/;

export interface IntakeRules {
  /** Names that no honest list of disposable domains has. */
  readonly canaries: ReadonlySet<string>;
  /** Top-level labels that the root zone must have, because other lists use them. */
  readonly neededLabels: ReadonlySet<string>;
  /** The source's names in force; undefined when it is new. */
  readonly before: Pick<ReadonlySet<string>, "has"> | undefined;
  /** The number of names in the source's last text; undefined when it is new. */
  readonly size: number | undefined;
  /** The number of names in the package's snapshot: many small steps must not lead far away from it. */
  readonly released: number | undefined;
}

/** The names of a source's text: lower-case A-labels, sorted, each once. Throws CurationError. */
export function takeIn(key: SourceKey, text: string, rules: IntakeRules): string[] {
  const toName = key === "rootZone" ? toLabel : toDomain;
  const given = readNames(text);
  const good = new Set<string>();
  const junk: string[] = [];
  for (const name of given) {
    // Names that were taken in before need no second look.
    const read = rules.before?.has(name) ? name : toName(name);
    if (read === undefined) junk.push(name);
    else good.add(read);
  }
  refuseJunk(junk, given.length);
  const names = [...good].sort();
  refuseSize(names.length, rules.size, rules.released);
  if (key === "rootZone") refuseMissing(good, rules.neededLabels);
  else if (key !== "academic") refuseCanaries(good, rules.canaries);
  return names;
}

function toDomain(name: string): string | undefined {
  return name.length > NAME_BYTES_MAX ? undefined : toHostName(name);
}

function toLabel(name: string): string | undefined {
  return name.includes(".") || DIGITS.test(name) ? undefined : toDomain(`x.${name}`)?.slice(2);
}

function refuseJunk(junk: readonly string[], total: number): void {
  if (junk.length <= JUNK_SHARE_MAX * total) return;
  const examples = junk.slice(0, 3).map(quoted);
  const share = `${junk.length} of its ${total} lines are not domain names, such as ${examples.join(", ")}`;
  throw new CurationError(`${share}; at most 1 % may be`);
}

function refuseSize(count: number, before: number | undefined, released = before): void {
  if (count === 0) throw new CurationError("it has no names");
  if (before === undefined || released === undefined) return;
  if (count < SHRINKS_TO_AT_LEAST * before)
    throw new CurationError(`it shrank from ${before} to ${count} names; it may lose at most 20 %`);
  if (count < SHRINKS_TO_AT_LEAST * released)
    throw new CurationError(`it has ${count} names, and this package's ${released}; it may lose at most 20 %`);
  const most = Math.max(before, released);
  if (count > GROWS_TO_AT_MOST * most)
    throw new CurationError(`it grew from ${most} to ${count} names; it may grow by at most half`);
}

function refuseMissing(labels: ReadonlySet<string>, needed: ReadonlySet<string>): void {
  const missing = [...needed].filter((label) => !labels.has(label));
  if (missing.length > 0) {
    throw new CurationError(`it lacks ${missing.slice(0, 3).join(", ")}, which well-known mail domains use`);
  }
}

function refuseCanaries(names: ReadonlySet<string>, canaries: ReadonlySet<string>): void {
  const listed = [...canaries].find((name) => names.has(name));
  if (listed !== undefined) throw new CurationError(`it lists ${listed}, a well-known mail domain`);
}
