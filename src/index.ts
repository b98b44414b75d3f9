// The library's public surface: puts lists, packages and rules together for programs.

import { fileURLToPath } from "node:url";
import punycode from "punycode/punycode.js";
import * as tldts from "tldts";
import tr46 from "tr46";
import type { SyntaxFault } from "./address/faults.ts";
import { type Mailbox, parseMailbox as parse } from "./address/mailbox.ts";
import type { SyntaxOptions } from "./address/options.ts";
import { encodeUtf8 } from "./bytes/octets.ts";
import type { Detection } from "./detection/detection.ts";
import { Detector as Core } from "./detection/detector.ts";
import { toDetection } from "./detection/format.ts";
import { createParserContext, type Packages } from "./detection/parser-context.ts";
import type { MailResolver } from "./detection/routing.ts";
import { AddrsiftError, isAddrsiftError } from "./errors.ts";
import { checkDetectOptions, checkDetectorOptions, checkSyntaxOptions, refuse } from "./library-options.ts";
import type { Confidence } from "./lists/confidence.ts";
import { indexOverrides, type Overrides } from "./lists/overrides.ts";
import type { CompiledLists } from "./lists/table.ts";
import { openLists } from "./lists/table-file.ts";
import type { Result } from "./result.ts";

export { SYNTAX_FAULTS, type SyntaxCode, type SyntaxFault } from "./address/faults.ts";
export type { DomainName, Mailbox } from "./address/mailbox.ts";
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
export type { DomainKind } from "./lists/domain-kinds.ts";
export type { Overrides } from "./lists/overrides.ts";
export type { Result } from "./result.ts";

const PACKAGES: Packages = { tldts: () => tldts, tr46: () => tr46, punycode: () => punycode };

let builtIn: CompiledLists | undefined;

/** The lists that came with the package, read on first use and shared. */
function builtInLists(): CompiledLists {
  builtIn ??= readBuiltIn();
  return builtIn;
}

function readBuiltIn(): CompiledLists {
  let file = "lists.bin";
  try {
    const url = new URL("../lists.bin", import.meta.url);
    file = url.protocol === "file:" ? fileURLToPath(url) : url.href;
    return openLists(url, "whole");
  } catch (error) {
    const { cause } = error as Error;
    if (isAddrsiftError(error) && (cause as NodeJS.ErrnoException).code === undefined) throw error;
    // A bundler takes the code but not the file; in CommonJS output the code does not even know where it is.
    throw new AddrsiftError(
      "DATA",
      `can't read ${file}, which comes with addrsift: in a bundle, keep addrsift external or, in an ES module, copy addrsift's dist/lists.bin to that path; else install addrsift again`,
      error,
    );
  }
}

/** The settings of a detector that differ from the default. */
export interface DetectorOptions {
  /** The syntax policy. */
  readonly syntax?: SyntaxOptions;
  /** Disposable entries below this confidence don't count. Default: `single`. */
  readonly minConfidence?: Confidence;
  /**
   * Your own decisions about domains (in lower-case A-labels) and addresses (as `normalized` shows them): true is disposable,
   * false is not. The most specific one beats every list.
   */
  readonly overrides?: Overrides;
  /** Asked where a domain's mail goes when no list settles it: `createDnsResolver()` or your own. Default: DNS is not asked. */
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

/** Classifies addresses. Without a resolver it starts no timer and opens no socket. */
export interface Detector {
  /** The version of the precomputed data. */
  readonly dataVersion: string;
  /**
   * Classifies one address as given: nothing is trimmed. `explain` adds the evidence. Rejects with AddrsiftError for a value that
   * is not a string, and for a wrong option.
   */
  detect(address: string, options?: DetectOptions): Promise<Detection>;
}

/**
 * Makes a detector over the built-in lists. Throws AddrsiftError when they can't be read, or for a wrong option, which it names.
 */
export function createDetector(options: DetectorOptions = {}): Detector {
  checkDetectorOptions(options);
  const lists = builtInLists();
  const { overrides = new Map(), ...policy } = options;
  const surroundings = createParserContext(lists, PACKAGES);
  const setup = { ...policy, lists, surroundings, overrides: indexOverrides(overrides) };
  const core = new Core(setup, options.resolver);
  return {
    dataVersion: core.dataVersion,
    detect: async (address, options = {}) => {
      if (typeof address !== "string") refuse("an address", "a string", address);
      checkDetectOptions(options);
      const { explain = false, dns = "on", signal } = options;
      const asked = { explain, dns: dns === "on", ...(signal === undefined ? {} : { signal }) };
      const octets = encodeUtf8(address);
      return core.detect(octets, 0, octets.length, asked, (classifier, explanation) =>
        toDetection(address, classifier, explanation),
      );
    },
  };
}

/** Parses an address under the syntax policy; the offset of a fault counts UTF-8 octets. Throws AddrsiftError for a wrong argument. */
export function parseMailbox(address: string | Uint8Array, options: SyntaxOptions = {}): Result<Mailbox, SyntaxFault> {
  if (typeof address !== "string" && !isOctets(address)) refuse("an address", "a string or a Uint8Array", address);
  checkSyntaxOptions(options);
  return parse(address, options, createParserContext(builtInLists(), PACKAGES));
}

/** By its tag, because an array of another realm is not an instance of this realm's class. */
function isOctets(value: unknown): boolean {
  return Object.prototype.toString.call(value) === "[object Uint8Array]";
}
