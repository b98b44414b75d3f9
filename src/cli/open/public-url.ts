// The URL under which others reach the daemon; links in mail begin with it.

import { AddrsiftError } from "../../base/errors.ts";

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
