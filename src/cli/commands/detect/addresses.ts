// `detect` for addresses as arguments: prepares them, and prints plain calls as JSON Lines. Most calls are plain, so
// this file loads neither options nor code for files.

import { statSync } from "node:fs";
import { LF } from "../../../base/bytes/ascii.ts";
import { ByteWriter } from "../../../base/bytes/byte-writer.ts";
import { encodeUtf8 } from "../../../base/bytes/bytes.ts";
import { isAddrsiftError, SAVE_AS_CSV, usageError } from "../../../base/errors.ts";
import type { Pipeline } from "../../../bulk/pipeline.ts";
import type { Policy } from "../../../bulk/run/options.ts";
import { isOutputClosed } from "../../../bulk/streams.ts";
import { Classifier, type ClassifierSetup } from "../../../detection/classifier.ts";
import { JsonRenderer } from "../../../detection/format.ts";
import type { DnsOptions } from "../../../dns/resolver.ts";
import type { LoadMode } from "../../../lists/table-file.ts";
import { openLookups, withEnvironmentServers } from "../../composition/dns.ts";
import type { ListsOptions } from "../../composition/lists.ts";
import { openListsAndOverrides } from "../../composition/overrides.ts";
import type { Runtime } from "../../runtime.ts";
import { warn } from "../../terminal/output.ts";

/** Addresses to classify, and settings. Missing settings have their defaults. */
export interface AddressRequest {
  readonly addresses: readonly string[];
  readonly policy: Partial<Policy>;
  /** Undefined: no DNS. */
  readonly dns: DnsOptions | undefined;
  readonly global: ListsOptions;
}

// For more addresses than this, loading the whole lists is faster.
const MAX_ADDRESSES_ON_DEMAND = 50;
// A detection has about 250 bytes.
const INITIAL_OUTPUT_BYTES = 1024;

/** Prints one JSON object per line for each address, and returns the exit status. */
export async function printDetections(request: AddressRequest, runtime: Runtime): Promise<number> {
  const { classifier, rows } = prepareAddresses(request, runtime, () => undefined);
  const json = new JsonRenderer();
  const out = new ByteWriter(INITIAL_OUTPUT_BYTES);
  for (const { bytes, lookup } of rows) {
    classifier.classify(bytes, 0, bytes.length, await lookup?.promise);
    json.write(out, { bytes, start: 0, end: bytes.length }, classifier, undefined);
    out.byte(LF);
  }
  try {
    runtime.stdout.write(out.buffer.subarray(0, out.length));
  } catch (error) {
    if (!isOutputClosed(error)) throw error;
  }
  warnAboutNonAddress(request, runtime);
  return 0;
}

/**
 * Opens the lists and starts the DNS lookups of all addresses. If lists that are read on demand turn
 * out to be damaged, opens the whole lists, which may fall back to others, and calls `createPipeline` again.
 */
export function prepareAddresses<P extends Pipeline | undefined>(
  request: AddressRequest,
  runtime: Runtime,
  createPipeline: (setup: ClassifierSetup, classifier: Classifier) => P,
) {
  const { addresses, policy, dns, global } = request;
  rejectFileNames(request);
  const openSetup = (mode: LoadMode) => {
    const setup = { ...openListsAndOverrides(global, runtime, mode), ...policy, cacheEntries: 0 };
    const classifier = new Classifier(setup);
    const pipeline = createPipeline(setup, classifier);
    const rows = addresses.map(encodeUtf8).map((bytes) => {
      return { bytes, domain: classifier.domainToLookUp(bytes, 0, bytes.length) };
    });
    return { setup, classifier, pipeline, rows };
  };
  const context = addresses.length > MAX_ADDRESSES_ON_DEMAND ? openSetup("in-memory") : retryWithWholeLists(openSetup);
  const lookups = dns && openLookups(withEnvironmentServers(dns, runtime.env), context.setup);
  const rows = context.rows.map(({ bytes, domain }) => {
    return { bytes, lookup: domain === undefined ? undefined : lookups?.lookUp(domain) };
  });
  return { ...context, rows };
}

function retryWithWholeLists<Context>(open: (mode: LoadMode) => Context): Context {
  try {
    return open("on-demand");
  } catch (error) {
    if (!isAddrsiftError(error) || error.code !== "DATA") throw error;
    return open("in-memory");
  }
}

// File name extensions that are not top-level domains.
const FILE_ENDING = /\.(txt|csv|tsv|jsonl|ndjson|json|lst|log|gz|xlsx?|ods)$/i;

/** Throws AddrsiftError USAGE if an argument is the name of a file instead of an address or domain. */
function rejectFileNames({ addresses, policy }: AddressRequest): void {
  const areDomains = policy.subject === "domain";
  const name = addresses.find((address) => findPathType(address, areDomains) !== undefined);
  if (name === undefined) return;
  if (findPathType(name, areDomains) === "folder")
    throw usageError(`${name} is a folder: run addrsift detect --scan ${name}`);
  const [, ending = ""] = /\.([a-z]+)(?:\.gz)?$/i.exec(name) ?? [];
  if (/^(xlsx?|ods)$/i.test(ending)) throw usageError(`${name} is a spreadsheet: ${SAVE_AS_CSV}`);
  const isJson = /^(json|jsonl|ndjson)$/i.test(ending);
  const kind = /^[ct]sv$/i.test(ending) ? "--csv" : isJson ? "--jsonl" : "--input";
  const options = areDomains ? `--domains ${kind}` : kind;
  throw usageError(`${name} is a file: to read it, run addrsift detect ${options} ${name}`);
}

/** Warns if an argument looks like the name of a missing file, or like a domain. */
export function warnAboutNonAddress({ addresses, policy, global }: AddressRequest, runtime: Runtime): void {
  if (policy.subject === "domain" || global.quiet === true) return;
  const name = addresses.find((address) => /^[\w./~-]+\.[a-z]{2,}$/i.test(address));
  if (name === undefined) return;
  const message = FILE_ENDING.test(name)
    ? `there is no file ${name}, so the name was checked as an address: check its folder and its spelling`
    : `${name} has no @, which an address needs: for a domain run addrsift lists lookup ${name}, or add --domains`;
  warn(runtime, message);
}

/** Returns what exists at a path that can't be an address or, if `areDomains`, a domain. A pipe or device is a file too. */
export function findPathType(name: string, areDomains: boolean): "file" | "folder" | undefined {
  const mayBeDomain = areDomains && name.includes(".") && !name.includes("/") && !FILE_ENDING.test(name);
  if (name.includes("@") || mayBeDomain) return undefined;
  try {
    return statSync(name).isDirectory() ? "folder" : "file";
  } catch {
    // Missing, not a possible path, or in an unreadable folder.
    return undefined;
  }
}
