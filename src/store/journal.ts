// The text of a journal: lines that each have a checksum of themselves and of all before them. A line that is cut off at the end was
// never acknowledged; any other line that is not whole is damage. No disk is touched here.

import { createHash } from "node:crypto";
import { asObject, CorruptFile, NewerVersion } from "./document.ts";

const FORMAT = 1;
const DIGEST_LENGTH = 32;
const LINE_FEED = 0x0a;

/** A journal's first line. */
export interface JournalHead {
  readonly id: string;
  /** The journal before it, and that one's last checksum: both together are what the file says that this one goes with. */
  readonly after?: { readonly id: string; readonly digest: string };
}

/** Lines with their values, and where the good ones end. */
export interface JournalLines {
  readonly values: readonly unknown[];
  /** The octets of the good lines. */
  readonly octets: number;
  /** The checksum of the last good line. */
  readonly digest: string;
  /** The octets after them: nothing, a line without an end, a last line that was cut off elsewhere, or a bad line. */
  readonly rest: "none" | "unfinished" | "torn" | "damaged";
}

/** A line with its checksum, after the line of checksum `before`; "" before the first. */
export function journalLine(value: unknown, before: string): { readonly text: string; readonly digest: string } {
  const json = JSON.stringify(value);
  const digest = digestOf(json, before);
  return { text: `${digest} ${json}\n`, digest };
}

/** The first line of a journal. */
export function journalStart(head: JournalHead): ReturnType<typeof journalLine> {
  return journalLine({ journal: FORMAT, ...head }, "");
}

/** Reads lines that follow the line of checksum `before`. */
export function readLines(octets: Uint8Array, before: string): JournalLines {
  const values: unknown[] = [];
  let [at, digest] = [0, before];
  for (;;) {
    if (at === octets.length) return { values, octets: at, digest, rest: "none" };
    const end = octets.indexOf(LINE_FEED, at);
    if (end < 0) return { values, octets: at, digest, rest: "unfinished" };
    const line = readLine(octets.subarray(at, end), digest);
    if (line === undefined) {
      const isTorn = end + 1 === octets.length && !isWhole(octets.subarray(at, end));
      return { values, octets: at, digest, rest: isTorn ? "torn" : "damaged" };
    }
    values.push(line.value);
    digest = line.digest;
    at = end + 1;
  }
}

/** The head as the first line has it. Throws CorruptFile or NewerVersion. */
export function asHead(value: unknown): JournalHead {
  const { journal, id, after } = asObject(value, "the first line");
  if (typeof journal === "number" && journal > FORMAT)
    throw new NewerVersion(`a journal of format ${journal}, known is ${FORMAT}`);
  if (journal !== FORMAT || typeof id !== "string") throw new CorruptFile("it is not a journal");
  return { id, ...(after === undefined ? {} : { after: after as NonNullable<JournalHead["after"]> }) };
}

/** A line of JSON with a wrong checksum was not cut off: a line before it is missing, or it was changed. */
function isWhole(line: Uint8Array): boolean {
  try {
    JSON.parse(new TextDecoder().decode(line.subarray(DIGEST_LENGTH)));
    return true;
  } catch {
    return false;
  }
}

function readLine(line: Uint8Array, before: string): { readonly value: unknown; readonly digest: string } | undefined {
  const text = new TextDecoder().decode(line);
  const digest = text.slice(0, DIGEST_LENGTH);
  const json = text.slice(DIGEST_LENGTH + 1);
  if (text[DIGEST_LENGTH] !== " " || digest !== digestOf(json, before)) return undefined;
  return { value: JSON.parse(json), digest };
}

function digestOf(json: string, before: string): string {
  return createHash("sha256").update(before).update(json).digest("hex").slice(0, DIGEST_LENGTH);
}
