// The one way to other machines over HTTP: the client and the addresses that it may reach; and URLs that users give, of
// the daemon and of sources of lists.

import { usage } from "../../base/errors.ts";
import { isLoopbackHost } from "../../base/ip.ts";
import { SOURCES, type SourceKey, UPDATED_KEYS } from "../../curation/sources.ts";
import { type ClientParts, createClient, type OutboundClient } from "../../outbound/client.ts";
import { createGuard, type Guard } from "../../outbound/guard.ts";
import { systemLookup } from "../../outbound/lookup.ts";
import { createProxyFor } from "../../outbound/proxy.ts";
import type { Runtime } from "../runtime.ts";
import { shownText } from "../terminal/say.ts";
import { readGivenValue, urlHasSecret } from "../terminal/small-input.ts";

/**
 * Reads the URL, without a slash at its end; undefined for an empty text. Throws AddrsiftError USAGE when no link can
 * begin with it.
 */
export function readPublicUrl(text: string): URL | undefined {
  if (text === "") return undefined;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const plain =
    url !== undefined &&
    /^https?:$/.test(url.protocol) &&
    url.username === "" &&
    url.password === "" &&
    !/[?#\s\\]/.test(text);
  // The text may contain a password, so it is not repeated.
  if (!plain) {
    throw usage(
      "the public URL is not usable: give http or https, a host and at most a path, such as " +
        "https://addrsift.example.com",
    );
  }
  url.pathname = url.pathname.replace(/\/+$/, "");
  return url;
}

/** The URLs of the sources that are named, or of all. Throws AddrsiftError USAGE or INPUT. */
export function sourceUrls(given: readonly string[], runtime: Pick<Runtime, "stdin">): ReadonlyMap<SourceKey, string> {
  if (given.length === 0) return new Map(UPDATED_KEYS.map((key) => [key, SOURCES[key].url as string]));
  const urls = new Map<SourceKey, string>();
  for (const text of given) {
    const at = text.indexOf("=");
    const key = UPDATED_KEYS.find((known) => known === text.slice(0, at));
    if (at < 0 || key === undefined) {
      const keys = UPDATED_KEYS.join(", ");
      throw usage(`--source must be KEY=URL with one of the keys ${keys}, not "${shownText(text)}"`);
    }
    if (urls.has(key)) throw usage(`--source ${key} is given twice: give one URL for each source`);
    urls.set(key, urlOf(text.slice(at + 1), `--source ${key}`, runtime));
  }
  return urls;
}

function urlOf(value: string, option: string, runtime: Pick<Runtime, "stdin">): string {
  const file = /^@(.+)$/.exec(value)?.[1];
  if (file === "-") {
    // A daemon reads it again for each update.
    throw usage(`${option}: standard input can't be used here, give a file: ${option}=@FILE`);
  }
  const url = file === undefined ? value : readGivenValue(file, option, runtime);
  const fault = urlFault(url);
  if (fault !== undefined) throw usage(`${option}: ${fault}`);
  if (file === undefined && urlHasSecret(url)) {
    throw usage(
      `${option}: the URL has credentials or a query, and other users can read a command's arguments: write ` +
        `it to a file and give ${option}=@FILE`,
    );
  }
  return url;
}

function urlFault(text: string): string | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol === "https:") return undefined;
  if (url?.protocol === "http:" && isLoopbackHost(url.hostname)) return undefined;
  return "it must be an https URL; http is for this machine only (127.0.0.1, localhost)";
}

/**
 * The client of updates, which are the operator's. Throws AddrsiftError USAGE for a wrong range, or for a wrong proxy
 * in the environment.
 */
export function openClient(given: readonly string[], runtime: Pick<Runtime, "env">): OutboundClient {
  const proxy = createProxyFor(runtime.env);
  return createClient({ ...clientParts(openGuard(given, runtime)), proxy, forOperator: true });
}

export function clientParts(guard: () => Guard): ClientParts {
  return { undici: () => require("undici"), guard, lookup: systemLookup };
}

/**
 * The guard over the ranges that are given, else over those of the environment. Throws AddrsiftError USAGE for a wrong
 * range.
 */
export function openGuard(given: readonly string[], { env }: Pick<Runtime, "env">): () => Guard {
  const { ADDRSIFT_ALLOW_PRIVATE = "" } = env;
  const ranges = (given.length > 0 ? given : [ADDRSIFT_ALLOW_PRIVATE]).flatMap((text) => text.split(","));
  const allowed = ranges.map((text) => text.trim()).filter((text) => text !== "");
  const makeGuard = (): Guard => createGuard(require("ipaddr.js"), allowed);
  // Wrong ranges are refused now. Without ranges nothing can be wrong, and the package is loaded for the first request.
  let guard = allowed.length > 0 ? makeGuard() : undefined;
  return () => {
    guard ??= makeGuard();
    return guard;
  };
}
