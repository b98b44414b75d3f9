// URLs that users give: the one under which others reach the daemon, and those of --source.

import { AddrsiftError } from "../../base/errors.ts";
import { isLoopbackHost } from "../../base/ip.ts";
import { SOURCES, type SourceKey, UPDATED_KEYS } from "../../curation/sources.ts";
import type { Runtime } from "../runtime.ts";
import { shownText } from "../terminal/say.ts";
import { readGivenValue, urlHasSecret } from "../terminal/small-input.ts";

/**
 * Reads the URL, without a slash at its end; undefined for an empty text. Throws AddrsiftError USAGE when no link can begin with
 * it.
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
    throw new AddrsiftError(
      "USAGE",
      "the public URL is not usable: give http or https, a host and at most a path, such as https://addrsift.example.com",
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
      throw new AddrsiftError(
        "USAGE",
        `--source must be KEY=URL with one of the keys ${keys}, not "${shownText(text)}"`,
      );
    }
    if (urls.has(key)) throw new AddrsiftError("USAGE", `--source ${key} is given twice: give one URL for each source`);
    urls.set(key, urlOf(text.slice(at + 1), `--source ${key}`, runtime));
  }
  return urls;
}

function urlOf(value: string, option: string, runtime: Pick<Runtime, "stdin">): string {
  const file = /^@(.+)$/.exec(value)?.[1];
  if (file === "-") {
    // A daemon reads it again for each update.
    throw new AddrsiftError("USAGE", `${option}: standard input can't be used here, give a file: ${option}=@FILE`);
  }
  const url = file === undefined ? value : readGivenValue(file, option, runtime);
  const fault = urlFault(url);
  if (fault !== undefined) throw new AddrsiftError("USAGE", `${option}: ${fault}`);
  if (file === undefined && urlHasSecret(url)) {
    throw new AddrsiftError(
      "USAGE",
      `${option}: the URL has credentials or a query, and other users can read a command's arguments: write it to a file and give ${option}=@FILE`,
    );
  }
  return url;
}

/** The fault of a source's URL; undefined for a good one. */
function urlFault(text: string): string | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol === "https:") return undefined;
  if (url?.protocol === "http:" && isLoopbackHost(url.hostname)) return undefined;
  return "it must be an https URL; http is for this machine only (127.0.0.1, localhost)";
}
