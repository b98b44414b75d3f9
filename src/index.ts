// The library's public surface, and its place of composition: lists, packages and rules put together for programs.

import punycode from "punycode/punycode.js";
import * as tldts from "tldts";
import tr46 from "tr46";
import type { SyntaxFault } from "./address/faults.ts";
import { type Mailbox, parseMailbox as parse, type Result } from "./address/mailbox.ts";
import type { SyntaxOptions } from "./address/options.ts";
import { encodeUtf8 } from "./bytes/octets.ts";
import type { Detection } from "./detection/detection.ts";
import { Detector as Core } from "./detection/detector.ts";
import { toDetection } from "./detection/format.ts";
import type { MailResolver } from "./detection/routing.ts";
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
export type { DnsEvidence, Explanation, Match } from "./detection/evidence.ts";
export type {
  AddressesWanted,
  Exchange,
  MailResolver,
  MailRouting,
  RoutingStatus,
} from "./detection/routing.ts";
export { type CachedDnsOptions, createDnsResolver } from "./dns/create.ts";
export type { DnsOptions, DnsResolver } from "./dns/resolver.ts";
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
  /** Whom to ask where a domain's mail goes when no list settles it: `createDnsResolver()` or your own. Default: nobody. */
  readonly resolver?: MailResolver;
}

/** What one call may ask for. */
export interface DetectOptions {
  /** Add the evidence. */
  readonly explain?: boolean;
  /** `off`: do not ask the resolver this time. Default: `on`, where there is one. */
  readonly dns?: "on" | "off";
  /** Ends this call's wait for the resolver, and nobody else's: the promise is rejected with the signal's reason. */
  readonly signal?: AbortSignal;
}

/** Classifies addresses. Without a resolver it starts no timer and opens no socket. */
export interface Detector {
  /** The version of the precomputed data. */
  readonly dataVersion: string;
  /** Classifies one address, given as it is: nothing is trimmed. `explain` adds the evidence. Rejected when it is no string. */
  detect(address: string, options?: DetectOptions): Promise<Detection>;
}

/** Makes a detector over the built-in lists. Throws AddrsiftError when they can't be read, or for a wrong option value. */
export function createDetector(options: DetectorOptions = {}): Detector {
  const { minConfidence = "legacy", resolver } = options;
  if (!CONFIDENCES.includes(minConfidence)) {
    throw new AddrsiftError(
      "USAGE",
      `minConfidence does not know "${minConfidence}": choose from ${CONFIDENCES.join(", ")}`,
    );
  }
  if (resolver !== undefined && typeof resolver?.route !== "function") {
    throw new AddrsiftError(
      "USAGE",
      "resolver has no method route: give createDnsResolver() or an object that has one",
    );
  }
  const lists = builtInLists();
  const setup = { ...options, lists, surroundings: createSurroundings(lists, PACKAGES) };
  const core = new Core(setup, resolver);
  return {
    dataVersion: core.dataVersion,
    detect: async (address, { explain = false, dns = "on", signal } = {}) => {
      if (typeof address !== "string") {
        throw new AddrsiftError("USAGE", `an address is a string, not ${kindOf(address)}: give text, as it is`);
      }
      const asked = { explain, dns: dns === "on", ...(signal === undefined ? {} : { signal }) };
      const octets = encodeUtf8(address);
      return core.detect(octets, 0, octets.length, asked, (classifier, explanation) =>
        toDetection(address, classifier, explanation),
      );
    },
  };
}

function kindOf(value: unknown): string {
  return value === null ? "null" : typeof value;
}

/** Parses an address under the syntax policy; the offset of a fault counts UTF-8 octets. */
export function parseMailbox(address: string | Uint8Array, options: SyntaxOptions = {}): Result<Mailbox, SyntaxFault> {
  return parse(address, options, createSurroundings(builtInLists(), PACKAGES));
}
