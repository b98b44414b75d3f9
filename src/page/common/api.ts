// Asks the daemon that the page came from. A failure is an ApiError whose message is for people.

/** Why the daemon did not answer as it was asked to. */
export class ApiError extends Error {
  readonly retryAfterSeconds: number | undefined;

  constructor(
    message: string /** 0: there was no answer. */,
    readonly status: number,
    retryAfterSeconds?: number,
  ) {
    super(message);
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** Parts of a request besides method and path. */
export interface Sending {
  readonly body?: object;
  readonly bytes?: { readonly data: BodyInit; readonly type: string; readonly accept: string };
  readonly signal?: AbortSignal;
}

const UNREACHABLE = "The daemon can't be reached: check that it is running, then try again.";

/** The daemon, asked with this key. */
export class Api {
  constructor(
    /** With a slash at its end. */
    readonly base: string,
    private readonly key: string | undefined,
  ) {}

  /** The answer's JSON. */
  async json<Value>(method: string, path: string, sending: Sending = {}): Promise<Value> {
    const response = await this.send(method, path, sending);
    return (await response.json()) as Value;
  }

  /** The answer, where it is a good one. */
  async send(method: string, path: string, { body, bytes, signal }: Sending): Promise<Response> {
    const headers = new Headers();
    if (this.key !== undefined) headers.set("Authorization", `Bearer ${this.key}`);
    if (body !== undefined) headers.set("Content-Type", "application/json");
    if (bytes !== undefined) {
      headers.set("Content-Type", bytes.type);
      headers.set("Accept", bytes.accept);
    }
    const init: RequestInit = { method, headers, cache: "no-store", redirect: "error", signal: signal ?? null };
    const sent = bytes?.data ?? (body === undefined ? null : JSON.stringify(body));
    const response = await fetch(this.base + path, { ...init, body: sent }).catch((failure: unknown) => {
      throw signal?.aborted === true ? failure : new ApiError(UNREACHABLE, 0);
    });
    if (!response.ok) throw await refusal(response);
    return response;
  }
}

async function refusal(response: Response): Promise<ApiError> {
  const { message: told = `The daemon answered with status ${response.status}.` } = await faultIn(response);
  // The rest of the message is for programs: how they send a key.
  const message = response.status === 401 ? told.replace(/: .*/, "") : told;
  const wait = Number(response.headers.get("Retry-After") ?? Number.NaN);
  return new ApiError(sentence(message), response.status, Number.isFinite(wait) ? wait : undefined);
}

async function faultIn(response: Response): Promise<{ readonly message?: string }> {
  try {
    return (await response.json()) as { readonly message?: string };
  } catch {
    // A proxy answered.
    return {};
  }
}

/** A message of the daemon as a sentence. A field's name at its beginning stays as it is. */
export function sentence(message: string): string {
  const end = /[.!?]$/.test(message) ? "" : ".";
  const first = message.charAt(0);
  return (/^\w+\.\w/.test(message) ? first : first.toUpperCase()) + message.slice(1) + end;
}

/** A failure as a sentence for people. */
export function problemOf(failure: unknown): string {
  return failure instanceof Error ? failure.message : String(failure);
}

/** The URL below which the API is, also where a proxy serves it below a path. */
export function pageBase({ origin, pathname }: { readonly origin: string; readonly pathname: string }): string {
  return origin + (pathname.endsWith("/") ? pathname : `${pathname}/`);
}

export const CHANNELS_PATH = "api/v1/team/notifications/channels";

/** The path of a channel, or of something of it. */
export function channelPath(id: string, rest = ""): string {
  return `${CHANNELS_PATH}/${encodeURIComponent(id)}${rest}`;
}
