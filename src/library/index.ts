// The library's public surface: puts lists, packages and rules together for programs.

import type { SyntaxFault } from "../address/faults.ts";
import { type Mailbox, parseMailbox as parse } from "../address/mailbox.ts";
import type { SyntaxOptions } from "../address/options.ts";
import { encodeUtf8 } from "../base/bytes/bytes.ts";
import { usageError } from "../base/errors.ts";
import { omitUndefined, type Result } from "../base/result.ts";
import type { Detection } from "../detection/detection.ts";
import { Detector as Core } from "../detection/detector.ts";
import { createDetection } from "../detection/format.ts";
import type { MailResolver } from "../detection/routing.ts";
import type { CachedDnsOptions, DnsResolver } from "../dns/resolver.ts";
import type { Confidence } from "../lists/confidence.ts";
import { indexOverrides, mergeOverrides, type Overrides } from "../lists/overrides.ts";
import { type CompiledLists, listsFromBytes } from "../lists/table.ts";
import { checkDetectorOptions, checkOptions, DETECT, DETECT_MANY, isBytes, refuse, SYNTAX } from "./options.ts";
import { dnsResolver, followHome, listsAt, packagedLists } from "./platform.ts";

export { SYNTAX_FAULTS, type SyntaxCode, type SyntaxFault } from "../address/faults.ts";
export type { DomainName, Mailbox } from "../address/mailbox.ts";
export type { SyntaxOptions } from "../address/options.ts";
export { AddrsiftError, type ErrorCode } from "../base/errors.ts";
export type { Result } from "../base/result.ts";
export type { Detection, DetectionSource, InvalidDetection, ValidDetection } from "../detection/detection.ts";
export type { DnsEvidence, Explanation, Match } from "../detection/evidence.ts";
export type {
  Exchange,
  MailResolver,
  MailRouting,
  RoutingStatus,
  SelectExchanges,
} from "../detection/routing.ts";
export type { CachedDnsOptions, DnsOptions, DnsResolver } from "../dns/resolver.ts";
export type { DomainKind } from "../lists/attributes.ts";
export { CONFIDENCES, type Confidence } from "../lists/confidence.ts";
export type { Overrides } from "../lists/overrides.ts";

// Of the last domains; each takes 64 bytes and a reference.
const CACHE_ENTRIES = 4096;
// Longer addresses get their own memory.
const MANY_BYTES = 4096;
// A home is looked at for changes at a call, at most once in this time.
const LOOK_EVERY_MS = 1000;
const encoder = new TextEncoder();

// Lists given to a detector: `parseMailbox` uses them where the package's own can't be read.
let given: CompiledLists | undefined;

/** The settings of a detector that differ from the default. */
export interface DetectorOptions {
  /** The syntax policy. */
  readonly syntax?: SyntaxOptions;
  /** Disposable entries below this confidence don't count. Default: `single`. */
  readonly minConfidence?: Confidence;
  /**
   * Your own decisions about domains (in lower-case A-labels) and addresses (as `normalized` shows them): true is
   * disposable, false is not. The most specific one beats every list.
   */
  readonly overrides?: Overrides;
  /**
   * A home of the command: its updated lists and its overrides are used, and changes are taken up within a second of a
   * call. Lists that can't be used leave the built-in ones in use, with a warning. Overrides that can't be used are an
   * AddrsiftError of `createDetector`, and later a warning, while those read before stay in force. `overrides` beat the
   * home's.
   */
  readonly home?: string;
  /**
   * The compiled lists as bytes, or as the file URL of addrsift/lists.bin, where the package's own file can't be read:
   * in a bundle, in a browser, at an edge. addrsift/lists-counted.bin.gz, unpacked, is smaller: of the disposable
   * entries it has those that count by default. Not together with `home`.
   */
  readonly lists?: Uint8Array | URL;
  /** Receives a line about lists or overrides in the home that can't be used. Default: process.emitWarning. */
  readonly onWarning?: (message: string) => void;
  /**
   * Asked where a domain's mail goes when no list settles it: `createDnsResolver()` or your own. Default: DNS is not
   * asked.
   */
  readonly resolver?: MailResolver;
}

/** The options of one call. */
export interface DetectOptions {
  /** Add the evidence. */
  readonly explain?: boolean;
  /** `off`: do not ask the resolver this time. Default: `on`, if there is one. */
  readonly dns?: "on" | "off";
  /** Ends only this call's wait for the resolver: the promise rejects with the signal's reason. */
  readonly signal?: AbortSignal;
}

/** The options of one call of `detectMany`. */
export type DetectManyOptions = Pick<DetectOptions, "explain">;

/** Classifies addresses. Without a resolver it starts no timer and opens no socket. */
export interface Detector {
  /** The version of the precomputed data; with `home`, of those that are in use now. */
  readonly dataVersion: string;
  /**
   * Classifies one address as given: nothing is trimmed. `explain` adds the evidence. Rejects with AddrsiftError for a
   * value that is not a string, and for a wrong option.
   */
  detect(address: string, options?: DetectOptions): Promise<Detection>;
  /**
   * Classifies many addresses at once, in their order, by lists and overrides only: the resolver is not asked. Throws
   * AddrsiftError for a value that is not a string, which it names by its index, and for a wrong option.
   */
  detectMany(addresses: readonly string[], options?: DetectManyOptions): Detection[];
}

/**
 * Makes a detector. Throws AddrsiftError when the lists or the home's overrides can't be read, or for a wrong option,
 * which it names.
 */
export function createDetector(options: DetectorOptions = {}): Detector {
  checkDetectorOptions(options);
  const { home, lists, onWarning = emitWarning, overrides = new Map(), resolver, ...policy } = options;
  const followed = home === undefined ? undefined : followHome(home, onWarning);
  const own = indexOverrides(overrides);
  const known = followed ?? { lists: lists === undefined ? packagedLists() : listsGiven(lists) };
  const make = (): Core => {
    const joined = followed === undefined ? own : mergeOverrides(own, followed.overrides);
    return new Core({ ...policy, lists: known.lists, overrides: joined, cacheEntries: CACHE_ENTRIES }, resolver);
  };
  let core = make();
  let lookedAtMs = performance.now();
  const current = (): Core => {
    const nowMs = performance.now();
    if (followed === undefined || nowMs - lookedAtMs < LOOK_EVERY_MS) return core;
    lookedAtMs = nowMs;
    const { lists, overrides } = followed.refresh();
    if (lists || overrides) core = make();
    return core;
  };
  return {
    get dataVersion() {
      return current().dataVersion;
    },
    detect: async (address, options = {}) => {
      if (typeof address !== "string") refuse("an address", "a string", address);
      checkOptions(options, DETECT);
      const { explain = false, dns = "on", signal } = options;
      const asked = { explain, dns: dns === "on", ...omitUndefined({ signal }) };
      const bytes = encodeUtf8(address);
      return current().detect(bytes, 0, bytes.length, asked, (classifier, explanation) =>
        createDetection(address, classifier, explanation),
      );
    },
    detectMany: (addresses, options = {}) => {
      if (!Array.isArray(addresses)) refuse("the addresses", "an array of strings", addresses);
      checkOptions(options, DETECT_MANY);
      return detectAll(current(), addresses, options.explain ?? false);
    },
  };
}

/** Classifies addresses one after another, in the same memory. */
function detectAll(core: Core, addresses: readonly string[], explain: boolean): Detection[] {
  const asked = { explain, dns: false };
  const shared = new Uint8Array(MANY_BYTES);
  return addresses.map((address, index) => {
    if (typeof address !== "string") refuse(`address ${index} of the array`, "a string", address);
    const long = 3 * address.length > MANY_BYTES;
    const bytes = long ? encodeUtf8(address) : shared;
    const end = long ? bytes.length : encoder.encodeInto(address, shared).written;
    return core.detect(bytes, 0, end, asked, (classifier, explanation) =>
      createDetection(address, classifier, explanation),
    ) as Detection;
  });
}

function listsGiven(lists: Uint8Array | URL): CompiledLists {
  if (!isBytes(lists)) return listsAt(lists as URL);
  const bytes = lists as Uint8Array;
  if (bytes[0] === 0x1f && bytes[1] === 0x8b) {
    throw usageError('option lists is packed by gzip: unpack it first, such as with new DecompressionStream("gzip")');
  }
  given = listsFromBytes("the lists in option lists", bytes);
  return given;
}

function emitWarning(message: string): void {
  globalThis.process?.emitWarning(message, "AddrsiftWarning");
}

/**
 * Parses an address under the syntax policy; the offset of a fault counts UTF-8 bytes. Throws AddrsiftError for a
 * wrong argument, and in a browser before a detector was given lists.
 */
export function parseMailbox(address: string | Uint8Array, options: SyntaxOptions = {}): Result<Mailbox, SyntaxFault> {
  if (typeof address !== "string" && !isBytes(address)) refuse("an address", "a string or a Uint8Array", address);
  checkOptions(options, SYNTAX);
  return parse(address, options, packagedLists(given));
}

/**
 * Makes a resolver over node:dns. It opens a socket only for questions, and keeps no process alive between them. Throws
 * AddrsiftError for a setting out of range, and in a browser.
 */
export function createDnsResolver(options: CachedDnsOptions = {}): DnsResolver {
  return dnsResolver(options);
}
