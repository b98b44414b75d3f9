// The option `--source` of updates and of the daemon: a URL for the key of a source.

import { usageError } from "../../base/errors.ts";
import { escapeInvisible } from "../../base/format-text.ts";
import { isLoopbackHost } from "../../base/ip.ts";
import { SOURCES, type SourceKey, UPDATABLE_KEYS } from "../../curation/sources.ts";
import type { Runtime } from "../runtime.ts";
import { readOptionValue, urlHasSecret } from "../terminal/read-value.ts";
import type { OptionSpec } from "./table.ts";

export const SOURCE = {
  name: "source",
  value: "KEY=URL",
  repeat: true,
  valueStarts: UPDATABLE_KEYS.map((key) => `${key}=`),
  group: "Lists",
  help:
    "download this source (a key of lists status, such as D) from URL, and skip sources without --source; https, or " +
    "http on this machine; KEY=@FILE reads a URL with credentials or a query from a file; may be repeated",
} as const satisfies OptionSpec;

/** Returns the URLs of the named sources, or of all. Throws AddrsiftError USAGE or INPUT. */
export function parseSourceUrls(
  values: readonly string[],
  input: Pick<Runtime, "stdin">,
): ReadonlyMap<SourceKey, string> {
  if (values.length === 0) return new Map(UPDATABLE_KEYS.map((key) => [key, SOURCES[key].url as string]));
  const urls = new Map<SourceKey, string>();
  for (const text of values) {
    const at = text.indexOf("=");
    const key = UPDATABLE_KEYS.find((updatable) => updatable === text.slice(0, at));
    if (at < 0 || key === undefined) {
      const keys = UPDATABLE_KEYS.join(", ");
      throw usageError(`--source must be KEY=URL with one of the keys ${keys}, not "${escapeInvisible(text)}"`);
    }
    if (urls.has(key)) throw usageError(`--source ${key} is given twice: give one URL for each source`);
    urls.set(key, readSourceUrl(text.slice(at + 1), `--source ${key}`, input));
  }
  return urls;
}

function readSourceUrl(value: string, option: string, input: Pick<Runtime, "stdin">): string {
  const file = /^@(.+)$/.exec(value)?.[1];
  if (file === "-") {
    // A daemon reads the value again for each update.
    throw usageError(`${option}: standard input can't be used here, give a file: ${option}=@FILE`);
  }
  const text = file === undefined ? value : readOptionValue(file, option, input);
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== "https:" && !(url?.protocol === "http:" && isLoopbackHost(url.hostname))) {
    throw usageError(`${option}: it must be an https URL; http is for this machine only (127.0.0.1, localhost)`);
  }
  if (file === undefined && urlHasSecret(text)) {
    throw usageError(
      `${option}: the URL has credentials or a query, and other users can read a command's arguments: write ` +
        `it to a file and give ${option}=@FILE`,
    );
  }
  return text;
}
