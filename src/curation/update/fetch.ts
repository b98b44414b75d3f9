// A source's text: over HTTP with bounds on time and size, only when it has changed, or from a file.

import { readFileSync, statSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { defined } from "../../base/result.ts";
import type { OutboundClient, OutboundResponse } from "../../outbound/client.ts";
import type { Validators } from "../snapshot.ts";
import { CurationError } from "../sources.ts";

export interface SourceText {
  readonly text: string;
  /** Its place, without credentials and query, which are not stored. */
  readonly origin: string;
  readonly validators?: Validators;
}

interface SourceRequest {
  readonly url: string;
  readonly known: Validators | undefined;
  readonly timeoutMs: number;
}

// The largest source has 2.7 MB.
const TEXT_LIMIT_BYTES = 16_000_000;
const TYPES = /^(?:text\/(?!html)[a-z0-9.+-]+|application\/(?:json|octet-stream|x-gzip|gzip))$/;
const NOT_MODIFIED = 304;

/** Undefined when it has not changed. Throws CurationError. */
export async function fetchSource(
  client: OutboundClient,
  { url, known, timeoutMs }: SourceRequest,
): Promise<SourceText | undefined> {
  const { etag, lastModified } = known?.url === url ? known : {};
  const outcome = await client.send({
    method: "GET",
    url,
    headers: {
      accept: "text/plain, application/json, */*;q=0.1",
      "accept-encoding": "gzip",
      ...defined({ "if-none-match": etag, "if-modified-since": lastModified }),
    },
    timeoutMs,
    bodyLimitBytes: TEXT_LIMIT_BYTES,
    overLimit: "fault",
  });
  if (!outcome.ok) throw new CurationError(outcome.fault.message);
  // A 304 without a question would keep the lists old.
  const asked = etag !== undefined || lastModified !== undefined;
  return outcome.response.status === NOT_MODIFIED && asked ? undefined : readAnswer(outcome.response, url);
}

function readAnswer(answer: OutboundResponse, url: string): SourceText {
  const { status, headers } = answer;
  if (status >= 300 && status < 400 && status !== NOT_MODIFIED)
    throw new CurationError(`the server redirects (${status}), which is not followed: give its URL`);
  if (status !== 200) throw new CurationError(`the server answered with status ${status}`);
  const type = (headers["content-type"] ?? "text/plain").split(";")[0]?.trim().toLowerCase() ?? "";
  if (!TYPES.test(type)) throw new CurationError(`the server sent ${type.slice(0, 40)}, not a list`);
  const text = decode(answer);
  // An answer without a length ends when the connection does, so a cut one looks whole.
  const framed = headers["content-length"] !== undefined || headers["transfer-encoding"] !== undefined;
  if (!framed && !/[\n\]}]\s*$/.test(text.slice(-64)))
    throw new CurationError("the answer seems to be cut off: its last line has no end");
  const { username, password, search, origin, pathname } = new URL(url);
  const found = { text, origin: origin + pathname };
  // Validators are stored with the URL, so there are none for a URL with a secret.
  if (username + password + search !== "") return found;
  return { ...found, validators: { url, etag: headers["etag"], lastModified: headers["last-modified"] } };
}

function decode({ headers, body }: OutboundResponse): string {
  const encoding = headers["content-encoding"] ?? "identity";
  if (encoding !== "gzip" && encoding !== "identity")
    throw new CurationError(`the server used the encoding ${encoding.slice(0, 40)}`);
  try {
    const bytes = encoding === "gzip" ? gunzipSync(body, { maxOutputLength: TEXT_LIMIT_BYTES }) : body;
    return readUtf8(bytes);
  } catch (error) {
    const tooLarge = (error as NodeJS.ErrnoException).code === "ERR_BUFFER_TOO_LARGE";
    throw new CurationError(
      tooLarge
        ? `the list is larger than ${TEXT_LIMIT_BYTES / 1e6} MB unpacked`
        : "the answer is damaged: it can't be unpacked or read",
    );
  }
}

/** Undefined when there is no such file. Throws CurationError. */
export function readSourceFile(path: string): SourceText | undefined {
  try {
    // Without throwIfNoEntry, which hides ENOTDIR too from Node 22 on.
    const stat = statSync(path);
    if (!stat.isFile()) throw new CurationError(`${path} is not a regular file`);
    if (stat.size > TEXT_LIMIT_BYTES) throw new CurationError(`${path} is larger than ${TEXT_LIMIT_BYTES / 1e6} MB`);
    return { text: readUtf8(readFileSync(path)), origin: "a folder" };
  } catch (error) {
    if (error instanceof CurationError) throw error;
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw new CurationError(`can't read ${path} (${(error as NodeJS.ErrnoException).code ?? "not UTF-8"})`);
  }
}

function readUtf8(bytes: Uint8Array): string {
  return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
}
