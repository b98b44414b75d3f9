// The library's public surface, and its place of composition: lists, packages and rules put together for programs.

import punycode from "punycode/punycode.js";
import * as tldts from "tldts";
import tr46 from "tr46";
import type { SyntaxFault } from "./address/faults.ts";
import { type Mailbox, parseMailbox as parse, type Result } from "./address/mailbox.ts";
import { encodeUtf8 } from "./address/octets.ts";
import type { SyntaxOptions } from "./address/options.ts";
import { Classifier } from "./detection/classifier.ts";
import type { Detection } from "./detection/detection.ts";
import { createExplain } from "./detection/explain.ts";
import { toDetection } from "./detection/format.ts";
import { createSurroundings, type Packages } from "./detection/surroundings.ts";
import { AddrsiftError } from "./errors.ts";
import { CONFIDENCES, type Confidence } from "./lists/confidence.ts";
import type { Overrides } from "./lists/overrides.ts";
import type { CompiledLists } from "./lists/table.ts";
import { openLists } from "./lists/table-file.ts";

export { SYNTAX_FAULTS, type SyntaxCode, type SyntaxFault } from "./address/faults.ts";
export type { DomainName, Mailbox, Result } from "./address/mailbox.ts";
export type { SyntaxOptions } from "./address/options.ts";
export type { Detection, DetectionSource, InvalidDetection, ValidDetection } from "./detection/detection.ts";
export type { Explanation, Match } from "./detection/evidence.ts";
export { AddrsiftError, type ErrorCode } from "./errors.ts";
export { CONFIDENCES, type Confidence } from "./lists/confidence.ts";
export type { Overrides } from "./lists/overrides.ts";

const PACKAGES: Packages = { tldts: () => tldts, tr46: () => tr46, punycode: () => punycode };

let builtIn: CompiledLists | undefined;

/** The lists that came with the package, read on first use and shared. */
function builtInLists(): CompiledLists {
  builtIn ??= openLists(new URL("../lists.bin", import.meta.url), "whole");
  return builtIn;
}

/** What a detector is to do differently from the default. */
export interface DetectorOptions {
  /** The syntax policy. */
  readonly syntax?: SyntaxOptions;
  /** Disposable entries below this confidence don't count. Default: `legacy`, which is all. */
  readonly minConfidence?: Confidence;
  /** Your own word on domains (lower-case A-labels): true is disposable, false is not. Beats every list. */
  readonly overrides?: Overrides;
}

/** Classifies addresses. It starts no timer and opens no socket. */
export interface Detector {
  /** The version of the precomputed data. */
  readonly dataVersion: string;
  /** Classifies one address, given as it is: nothing is trimmed. `explain` adds the evidence. */
  detect(address: string, options?: { readonly explain?: boolean }): Promise<Detection>;
}

/** Makes a detector over the built-in lists. Throws AddrsiftError when they can't be read, or for an unknown option value. */
export function createDetector(options: DetectorOptions = {}): Detector {
  const { minConfidence = "legacy" } = options;
  if (!CONFIDENCES.includes(minConfidence)) {
    throw new AddrsiftError(
      "USAGE",
      `minConfidence does not know "${minConfidence}": choose from ${CONFIDENCES.join(", ")}`,
    );
  }
  const lists = builtInLists();
  const setup = { ...options, lists, surroundings: createSurroundings(lists, PACKAGES) };
  const classifier = new Classifier(setup);
  const explain = createExplain(setup);
  return {
    dataVersion: lists.meta.dataVersion,
    detect: async (address, { explain: wanted = false } = {}) => {
      const octets = encodeUtf8(address);
      classifier.classify(octets, 0, octets.length);
      return toDetection(address, classifier, wanted ? explain(octets, 0, octets.length, classifier) : undefined);
    },
  };
}

/** Parses an address under the syntax policy; the offset of a fault counts UTF-8 octets. */
export function parseMailbox(address: string | Uint8Array, options: SyntaxOptions = {}): Result<Mailbox, SyntaxFault> {
  return parse(address, options, createSurroundings(builtInLists(), PACKAGES));
}
