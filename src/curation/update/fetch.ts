// Reads a source's text from a file, or over HTTP if it has changed, with limits on time and size.

import { readdirSync, readFileSync, statSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { AddrsiftError, describeSystemError } from "../../base/errors.ts";
import { omitUndefined } from "../../base/result.ts";
import type { OutboundClient, OutboundResponse } from "../../outbound/client.ts";
import type { Validators } from "../snapshot.ts";
import { CurationError, type SourceKey, UPDATABLE_KEYS } from "../sources.ts";

export interface SourceText {
  readonly text: string;
  /** URL without credentials and query, which must not be stored. */
  readonly origin: string;
  readonly validators?: Validators;
  /** ISO date of the file's last change. A server's Last-Modified may be the time of its start. */
  readonly fileDate?: string;
}

interface SourceRequest {
  readonly url: string;
  readonly validators: Validators | undefined;
  readonly timeoutMs: number;
}

// The largest source has 2.7 MB.
const MAX_TEXT_BYTES = 16_000_000;
const CONTENT_TYPES =
  /^(?:text\/(?!html)[a-z0-9.+-]+|application\/(?:json|x-gzip|gzip)|(?:application|binary)\/octet-stream)$/;
const NOT_MODIFIED = 304;

/** Returns undefined if the source has not changed. Throws CurationError. */
export async function fetchSource(
  client: OutboundClient,
  { url, validators, timeoutMs }: SourceRequest,
): Promise<SourceText | undefined> {
  const { etag, lastModified } = validators?.url === url ? validators : {};
  const outcome = await client.send({
    method: "GET",
    url,
    headers: {
      accept: "text/plain, application/json, */*;q=0.1",
      "accept-encoding": "gzip",
      ...omitUndefined({ "if-none-match": etag, "if-modified-since": lastModified }),
    },
    timeoutMs,
    bodyLimitBytes: MAX_TEXT_BYTES,
    overLimit: "fault",
  });
  if (!outcome.ok) throw new CurationError(outcome.fault.message);
  // Reject a 304 to an unconditional request: it would keep the lists outdated.
  const isConditional = etag !== undefined || lastModified !== undefined;
  return outcome.response.status === NOT_MODIFIED && isConditional ? undefined : parseResponse(outcome.response, url);
}

function parseResponse(response: OutboundResponse, url: string): SourceText {
  const { status, headers } = response;
  if (status >= 300 && status < 400 && status !== NOT_MODIFIED)
    throw new CurationError(`the server redirects (${status}), which is not followed: give its URL`);
  const { username, password, search, origin, pathname } = new URL(url);
  if (status >= 400 && status < 500)
    throw new CurationError(`the server answered with status ${status} for ${origin}${pathname}: check the URL`);
  if (status !== 200) throw new CurationError(`the server answered with status ${status}`);
  const type = (headers["content-type"] ?? "text/plain").split(";")[0]?.trim().toLowerCase() ?? "";
  if (!CONTENT_TYPES.test(type)) throw new CurationError(`the server sent ${type.slice(0, 40)}, not a list`);
  const source = { text: decodeBody(response), origin: origin + pathname };
  // Validators are stored with the URL, which must not contain a secret.
  if (username + password + search !== "") return source;
  return { ...source, validators: { url, etag: headers["etag"], lastModified: headers["last-modified"] } };
}

function decodeBody({ headers, body }: OutboundResponse): string {
  const encoding = headers["content-encoding"] ?? "identity";
  if (encoding !== "gzip" && encoding !== "identity")
    throw new CurationError(`the server used the encoding ${encoding.slice(0, 40)}`);
  try {
    const bytes = encoding === "gzip" ? gunzipSync(body, { maxOutputLength: MAX_TEXT_BYTES }) : body;
    return readUtf8(bytes);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ERR_BUFFER_TOO_LARGE")
      throw new CurationError(`the list is larger than ${MAX_TEXT_BYTES / 1e6} MB unpacked`);
    throw new CurationError("the answer is damaged: it can't be unpacked or read");
  }
}

/** Name of a source's file in a folder that an update reads. */
export function sourceFileName(key: SourceKey): string {
  return `${key}.txt`;
}

/** Throws AddrsiftError INPUT if the folder has no source's file: it is probably the wrong one, or not mounted. */
export function assertHasSource(folder: string): void {
  const files = UPDATABLE_KEYS.map(sourceFileName);
  let problem = `it has none of ${files.join(", ")}: addrsift lists status --json has the URLs of these files`;
  try {
    if (readdirSync(folder).some((name) => files.includes(name))) return;
  } catch (error) {
    problem = describeSystemError(error, { ENOTDIR: "it is not a folder, give one" });
  }
  throw new AddrsiftError("INPUT", `can't use ${folder} for --from: ${problem}`);
}

/** Returns undefined if there is no such file. Throws CurationError. */
export function readSourceFile(path: string): SourceText | undefined {
  try {
    // From Node 22 on, `throwIfNoEntry: false` would also hide ENOTDIR.
    const stat = statSync(path);
    if (!stat.isFile()) throw new CurationError(`${path} is not a regular file`);
    if (stat.size > MAX_TEXT_BYTES) throw new CurationError(`${path} is larger than ${MAX_TEXT_BYTES / 1e6} MB`);
    const fileDate = stat.mtime.toISOString().slice(0, 10);
    return { text: readUtf8(readFileSync(path)), origin: "a folder", fileDate };
  } catch (error) {
    if (error instanceof CurationError) throw error;
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    const { code } = error as NodeJS.ErrnoException;
    const isText = code !== "ERR_ENCODING_INVALID_ENCODED_DATA";
    throw new CurationError(`can't read ${path}: ${isText ? code : "unpack it, or convert it to UTF-8"}`);
  }
}

function readUtf8(bytes: Uint8Array): string {
  return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
}
