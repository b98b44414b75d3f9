// Requests to the daemon of this page. Failures are ApiErrors with a message for the user.

import { toSentence } from "../../base/format-text.ts";

export class ApiError extends Error {
  constructor(
    message: string,
    /** HTTP status. 0: no response. */
    readonly status: number,
    readonly retryAfterSeconds?: number,
  ) {
    super(message);
  }
}

export interface RequestOptions {
  readonly body?: object | undefined;
  readonly bytes?: { readonly data: BodyInit; readonly type: string; readonly accept: string };
  readonly signal?: AbortSignal;
}

const UNREACHABLE = "The daemon can't be reached: check that it is running, then try again.";

export class Api {
  constructor(
    /** Ends with a slash. */
    readonly base: string,
    private readonly key: string | undefined,
    private readonly onKeyRejected: (problem: string) => void,
  ) {}

  async json<Value>(method: string, path: string, options: RequestOptions = {}): Promise<Value> {
    const response = await this.send(method, path, options);
    return (await response.json()) as Value;
  }

  /** Returns the `data` of the response. */
  async data<Value>(method: string, path: string, options: RequestOptions = {}): Promise<Value> {
    return (await this.json<{ data: Value }>(method, path, options)).data;
  }

  async send(method: string, path: string, { body, bytes, signal }: RequestOptions): Promise<Response> {
    const headers = new Headers({ Accept: "application/json" });
    if (this.key !== undefined) headers.set("Authorization", `Bearer ${this.key}`);
    if (body !== undefined) headers.set("Content-Type", "application/json");
    if (bytes !== undefined) {
      headers.set("Content-Type", bytes.type);
      headers.set("Accept", bytes.accept);
    }
    const data = bytes?.data ?? (body === undefined ? null : JSON.stringify(body));
    const fixed = { cache: "no-store", redirect: "error", signal: signal ?? null } as const;
    const response = await fetch(this.base + path, { method, headers, body: data, ...fixed }).catch((failure) => {
      throw signal?.aborted === true ? failure : new ApiError(UNREACHABLE, 0);
    });
    if (response.ok) return response;
    const error = await toApiError(response);
    if (error.status === 401) this.onKeyRejected(error.message);
    throw error;
  }
}

async function toApiError(response: Response): Promise<ApiError> {
  // A proxy's response is not JSON.
  const fault: { readonly message?: string } = await response.json().catch(() => ({}));
  const { status, headers } = response;
  // A rejected upload may end before its response arrived.
  const reason =
    status === 401
      ? "the API key is not valid any more"
      : `the daemon answered with status ${status}: read its log, or try again`;
  const { message = reason } = fault;
  // Of a rejected key, the end tells programs how to send it.
  const text = toSentence(message.replace(/: send it .*/, ""));
  return new ApiError(text, status, Number(headers.get("Retry-After")) || undefined);
}

export function errorMessage(failure: unknown): string {
  return failure instanceof Error ? failure.message : String(failure);
}

/** Returns the daemon's URL, with the path at which a proxy serves it. */
export function pageBase({ origin, pathname }: { readonly origin: string; readonly pathname: string }): string {
  return origin + (pathname.endsWith("/") ? pathname : `${pathname}/`);
}

export const CHANNELS_PATH = "api/v1/team/notifications/channels";

export function channelPath(id: string, rest = ""): string {
  return `${CHANNELS_PATH}/${encodeURIComponent(id)}${rest}`;
}
