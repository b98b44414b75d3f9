// The library's public API.

import type { SyntaxFault } from "../address/faults.ts";
import { type Mailbox, parseMailbox as parse } from "../address/mailbox.ts";
import type { SyntaxOptions } from "../address/options.ts";
import { encodeUtf8 } from "../base/bytes/bytes.ts";
import { AddrsiftError, describeSystemError, usageError } from "../base/errors.ts";
import { lazy } from "../base/memoize.ts";
import { omitUndefined, type Result } from "../base/result.ts";
import { classNames, type RowClass } from "../detection/classes.ts";
import type { Classifier } from "../detection/classifier.ts";
import type { Detection, DomainDetection } from "../detection/detection.ts";
import { Detector as Core, type ReadResult } from "../detection/detector.ts";
import { classesOf } from "../detection/field-reader.ts";
import { createDetection, createDomainDetection } from "../detection/format.ts";
import type { MailResolver } from "../detection/routing.ts";
import type { DnsOptions, DnsResolver } from "../dns/resolver.ts";
import { overrideEntryFault, topLevelNote } from "../home/override-entry.ts";
import { COUNTED_SUFFIX, type Confidence } from "../lists/confidence.ts";
import { REINSTALL } from "../lists/format.ts";
import { indexOverrides, mergeOverrides, NO_OVERRIDES, type Overrides } from "../lists/overrides.ts";
import { type CompiledLists, listsFromBytes } from "../lists/table.ts";
import {
  checkOptions,
  DETECT_MANY_OPTIONS,
  DETECT_OPTIONS,
  DETECTOR_OPTIONS,
  isBytes,
  RESOLVER_OPTIONS,
  rejectType,
  SYNTAX_OPTIONS,
} from "./options.ts";
import { createResolver, openHome, openListsFile, packagedLists } from "./platform.ts";

export { SYNTAX_FAULTS, type SyntaxCode, type SyntaxFault } from "../address/faults.ts";
export type { DomainName, Mailbox } from "../address/mailbox.ts";
export type { SyntaxOptions } from "../address/options.ts";
export { AddrsiftError, type ErrorCode } from "../base/errors.ts";
export type { Result } from "../base/result.ts";
export type {
  Detection,
  DetectionSource,
  DomainDetection,
  InvalidDetection,
  InvalidDomainDetection,
  ValidDetection,
  ValidDomainDetection,
} from "../detection/detection.ts";
export type {
  AddressExplanation,
  DnsEvidence,
  DomainExplanation,
  Explanation,
  FaultExplanation,
  Match,
} from "../detection/evidence.ts";
export type {
  Exchange,
  MailResolver,
  MailRouting,
  RoutingStatus,
  SelectExchanges,
} from "../detection/routing.ts";
export type { DnsOptions, DnsResolver } from "../dns/resolver.ts";
export type { DomainKind } from "../lists/attributes.ts";
export { CONFIDENCES, type Confidence } from "../lists/confidence.ts";
export type { Overrides } from "../lists/overrides.ts";

// Number of cached domains. Each takes 64 bytes and a reference.
const CACHE_ENTRIES = 4096;
// detectMany() reuses a buffer of this size; longer addresses get their own.
const SHARED_BUFFER_BYTES = 4096;
// A call checks the home for changes if the last check is at least this long ago.
const REFRESH_INTERVAL_MS = 1000;
const encoder = new TextEncoder();

type Subject = "address" | "domain";

// Lists of the latest detector with option `lists`: `parseMailbox` uses them if the package's can't be read.
let suppliedLists: CompiledLists | undefined;

export interface DetectorOptions {
  /** The syntax policy. Default: all switches are off. */
  readonly syntax?: SyntaxOptions | undefined;
  /** Disposable entries below this confidence don't count. Default: `single`. */
  readonly minConfidence?: Confidence | undefined;
  /**
   * Your own decisions about domains (in lower-case A-labels) and addresses (in `normalized` form): true means
   * disposable, false not. The most specific one overrides every list.
   */
  readonly overrides?: Overrides | undefined;
  /**
   * Home folder of the command. Its updated lists and overrides are used, and reloaded when they change: calls check
   * once a second. If its lists can't be used, the built-in ones are, with a warning. If its overrides can't be used,
   * `createDetector` throws an AddrsiftError; later, the previous ones stay in force, with a warning. `overrides` take
   * precedence over the home's.
   */
  readonly home?: string | undefined;
  /**
   * The compiled lists as bytes, or as the file URL of addrsift/lists.bin, for environments that can't read the
   * package's files: bundles, browsers, edge workers. The decompressed addrsift/lists-counted.bin.gz is smaller: it
   * lacks the disposable entries below the default of `minConfidence`. Excludes `home`.
   */
  readonly lists?: Uint8Array | URL | undefined;
  /** Receives warnings about a missing home, or its unusable lists or overrides. Default: process.emitWarning. */
  readonly onWarning?: ((message: string) => void) | undefined;
  /** Looks up mail routing if no list decides: `createDnsResolver()`, or your own, as in tests. Default: no live DNS. */
  readonly resolver?: MailResolver | undefined;
}

export interface DetectManyOptions<Explain extends boolean = boolean, Classes extends boolean = boolean> {
  /** Add `explain`, the evidence. */
  readonly explain?: Explain | undefined;
  /** Add `classes`, the names of the classes that `addrsift detect --select` would match, such as `public`. */
  readonly classes?: Classes | undefined;
}

export interface DetectOptions<Explain extends boolean = boolean, Classes extends boolean = boolean>
  extends DetectManyOptions<Explain, Classes> {
  /** `off`: don't use the resolver. Default: `on`. */
  readonly dns?: "on" | "off" | undefined;
  /** If aborted, before or during the call, the promise rejects with its reason; other calls' lookups continue. */
  readonly signal?: AbortSignal | undefined;
}

/** A class of one address. The other row classes are about rows and their order. */
export type AddressClass = Exclude<RowClass, "blank" | "duplicate" | "known">;

/** Classifies addresses. Without a resolver, it starts no timers and opens no sockets. */
export interface Detector {
  /** Version of the precomputed data in use. */
  readonly dataVersion: string;
  /** Classifies one address, without trimming it. Rejects with AddrsiftError for a non-string or an invalid option. */
  detect<Explain extends boolean = false, Classes extends boolean = false>(
    address: string,
    options?: DetectOptions<Explain, Classes>,
  ): Promise<Requested<Detection, Explain, Classes>>;
  /** Classifies a domain, or the domain of an address. Rejects like `detect`. */
  detectDomain<Explain extends boolean = false, Classes extends boolean = false>(
    domain: string,
    options?: DetectOptions<Explain, Classes>,
  ): Promise<Requested<DomainDetection, Explain, Classes>>;
  /**
   * Classifies addresses in order, by lists and overrides, without the resolver. Blocks the event loop: a million take
   * about a second. Throws AddrsiftError for a non-string, with its index, or an invalid option.
   */
  detectMany<Explain extends boolean = false, Classes extends boolean = false>(
    addresses: readonly string[],
    options?: DetectManyOptions<Explain, Classes>,
  ): Requested<Detection, Explain, Classes>[];
}

/** A result with its evidence, which `explain: true` adds. */
export type Explained<Result extends { readonly explain?: unknown }> = Result extends unknown
  ? Result & { readonly explain: NonNullable<Result["explain"]> }
  : never;

/** A result with its classes, which `classes: true` adds. */
export type Classified<Result> = Result & {
  /** As in `addrsift detect --select`. `no_mail` and `unknown` only if DNS was used. */
  readonly classes: readonly AddressClass[];
};

/** A result with the additions that the options request. */
export type Requested<Result extends { readonly explain?: unknown }, Explain, Classes> = (Explain extends true
  ? Explained<Result>
  : Result) &
  (Classes extends true ? Classified<Result> : unknown);

/** Creates a detector. Throws AddrsiftError for an invalid option, or if lists or overrides can't be read. */
export function createDetector(options: DetectorOptions = {}): Detector {
  checkOptions(options, DETECTOR_OPTIONS);
  const { home, lists, onWarning, overrides = new Map(), resolver, ...policy } = options;
  if (home !== undefined && lists !== undefined)
    throw usageError("options home and lists exclude each other: give one");
  const openedHome = home === undefined ? undefined : openHome(home, onWarning);
  const ownOverrides = indexOverrides(new Map(overrides));
  const openLists = (): CompiledLists => (lists === undefined ? packagedLists() : openSuppliedLists(lists));
  const source = openedHome ?? { lists: openLists(), overrides: NO_OVERRIDES };
  checkAgainstLists(options, source.lists);
  const createCore = (subject: Subject): Core => {
    const setup = { lists: source.lists, overrides: mergeOverrides(ownOverrides, source.overrides), subject };
    return new Core({ ...omitUndefined(policy), ...setup, cacheEntries: CACHE_ENTRIES }, resolver);
  };
  let cores: Partial<Record<Subject, Core>> = { address: createCore("address") };
  let refreshedAtMs = performance.now();
  const currentCore = (subject: Subject): Core => {
    if (openedHome !== undefined && performance.now() - refreshedAtMs >= REFRESH_INTERVAL_MS) {
      refreshedAtMs = performance.now();
      const { lists, overrides } = openedHome.refresh();
      if (lists || overrides) cores = {};
    }
    cores[subject] ??= createCore(subject);
    return cores[subject];
  };
  const detector = {
    get dataVersion(): string {
      return currentCore("address").dataVersion;
    },
    detect: async (address: string, options: DetectOptions = {}): Promise<Detection> =>
      detectOne(currentCore, "address", address, options, createDetection),
    detectDomain: async (domain: string, options: DetectOptions = {}): Promise<DomainDetection> =>
      detectOne(currentCore, "domain", domain, options, createDomainDetection),
    detectMany: (addresses: readonly string[], options: DetectManyOptions = {}): Detection[] => {
      if (!Array.isArray(addresses)) rejectType("the addresses", "an array of strings", addresses);
      checkOptions(options, DETECT_MANY_OPTIONS);
      return detectAll(currentCore("address"), addresses, options);
    },
  };
  // Its types promise what `explain: true` and `classes: true` add.
  return detector as Detector;
}

/** Throws AddrsiftError USAGE for options that would have no effect with these lists. */
function checkAgainstLists(options: DetectorOptions, lists: CompiledLists): void {
  const { minConfidence, syntax, overrides = new Map() } = options;
  if (minConfidence === "legacy" && lists.meta.dataVersion.endsWith(COUNTED_SUFFIX))
    throw usageError("minConfidence can't be legacy with lists that lack legacy entries: give addrsift/lists.bin");
  for (const entry of overrides.keys()) {
    // Overrides of reserved domains are common in tests.
    const problem = overrideEntryFault(entry, lists) ?? topLevelNote(entry, lists, { ...syntax, allowReserved: true });
    if (problem !== undefined) throw usageError(`overrides: ${JSON.stringify(entry)} ${problem}`);
  }
}

const defaultDetector = lazy(createDetector);

/**
 * Classifies a domain, or the domain of an address, by the package's lists. Rejects like `Detector.detectDomain`, and always
 * in browsers and workers, which can't read these lists: use a detector with option `lists` there.
 */
export async function detectDomain<Explain extends boolean = false, Classes extends boolean = false>(
  domain: string,
  options?: DetectManyOptions<Explain, Classes>,
): Promise<Requested<DomainDetection, Explain, Classes>> {
  if (options !== undefined) checkOptions(options, DETECT_MANY_OPTIONS);
  return defaultDetector().detectDomain(domain, options);
}

function detectOne<Result extends Detection | DomainDetection>(
  currentCore: (subject: Subject) => Core,
  subject: Subject,
  text: string,
  options: DetectOptions,
  create: (text: string, classifier: Classifier) => Result,
): Result | Promise<Result> {
  if (typeof text !== "string") rejectType(subject === "address" ? "an address" : "a domain", "a string", text);
  checkOptions(options, DETECT_OPTIONS);
  const { explain = false, classes, dns = "on", signal } = options;
  signal?.throwIfAborted();
  const request = { explain, dns: dns === "on", ...omitUndefined({ signal }) };
  const bytes = encodeUtf8(text);
  return currentCore(subject).detect(bytes, 0, bytes.length, request, resultReader(text, create, classes));
}

/** Returns a function that creates the result for `text`, with what the caller requested in addition. */
function resultReader<Result extends Detection | DomainDetection>(
  text: string,
  create: (text: string, classifier: Classifier) => Result,
  classes = false,
): ReadResult<Result> {
  return (classifier, explain) => {
    const names = classes && { classes: classNames(classesOf(classifier, false)) };
    return Object.assign(create(text, classifier), names, explain && { explain });
  };
}

function detectAll(core: Core, addresses: readonly string[], options: DetectManyOptions): Detection[] {
  const { explain = false, classes } = options;
  const request = { explain, dns: false };
  const shared = new Uint8Array(SHARED_BUFFER_BYTES);
  // Unlike map(), this visits holes of the array too.
  return Array.from(addresses, (address, index) => {
    if (typeof address !== "string") rejectType(`addresses[${index}]`, "a string", address);
    const isLong = 3 * address.length > SHARED_BUFFER_BYTES;
    const bytes = isLong ? encodeUtf8(address) : shared;
    const end = isLong ? bytes.length : encoder.encodeInto(address, shared).written;
    return core.detect(bytes, 0, end, request, resultReader(address, createDetection, classes)) as Detection;
  });
}

function openSuppliedLists(lists: Uint8Array | URL): CompiledLists {
  try {
    if (!isBytes(lists)) return openListsFile(lists as URL);
    suppliedLists = listsFromBytes("the lists in option lists", lists);
    return suppliedLists;
  } catch (error) {
    const { code, message, cause } = error as AddrsiftError;
    if ((cause as NodeJS.ErrnoException | undefined)?.code === undefined)
      throw new AddrsiftError(code, message.replace(REINSTALL, "give addrsift/lists.bin of this version"), cause);
    throw new AddrsiftError("OPERATION", message.replace(REINSTALL, describeSystemError(cause)), cause);
  }
}

/**
 * Parses an address under the syntax policy, without trimming it. Throws AddrsiftError for an invalid argument, and in
 * a browser if no detector was created with option `lists` before.
 */
export function parseMailbox(address: string | Uint8Array, options: SyntaxOptions = {}): Result<Mailbox, SyntaxFault> {
  if (typeof address !== "string" && !isBytes(address)) rejectType("an address", "a string or a Uint8Array", address);
  checkOptions(options, SYNTAX_OPTIONS);
  return parse(address, options, packagedLists(suppliedLists));
}

/**
 * Creates a resolver over node:dns. It opens sockets only during lookups, and doesn't keep the process alive between
 * them. Throws AddrsiftError for an invalid option, and in a browser.
 */
export function createDnsResolver(options: DnsOptions = {}): DnsResolver {
  checkOptions(options, RESOLVER_OPTIONS);
  return createResolver(options);
}
