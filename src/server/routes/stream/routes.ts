// Streams: a row out for each row in, answered while rows arrive.

import { isAddrsiftError } from "../../../base/errors.ts";
import { text } from "../../../base/shapes.ts";
import { ROW_CLASS } from "../../../bulk/classes.ts";
import { inWordsOf } from "../../../bulk/face.ts";
import type { ByteSink } from "../../../bulk/ports.ts";
import type { Policy } from "../../../bulk/run/options.ts";
import type { Summary } from "../../../bulk/summary.ts";
import { escapeJson } from "../../../detection/format.ts";
import type { AddressClass } from "../../counters.ts";
import { type Answer, fault, type StreamedAnswer } from "../../http/answer.ts";
import { addressGroup } from "../../http/authorization.ts";
import type { StreamPlaces } from "../../http/places.ts";
import type { ApiRequest, Handler, RouteStream } from "../../http/route.ts";
import { readStreamQuery } from "./parameters.ts";
import { Stream, type StreamClassifiers } from "./run.ts";
import {
  ANSWER_TYPES,
  formatFor,
  kindOf,
  REQUEST,
  ROW_TYPES,
  type StreamSettings,
  streamSettings,
} from "./settings.ts";

const TRAILER = "Addrsift-Summary";
const RETRY_SECONDS = "5";

export const STREAM_DESCRIPTION: string = [
  "A row comes back for each row, in order, while the body is still sent: read the answer meanwhile. A client",
  "that can't do that sends its input in parts, with `part=true` and `column`. The answer is NDJSON; it is CSV,",
  "with the columns of the body and added ones, when the body is CSV; Accept chooses the other one.",
  `The counts come as JSON in the trailer field \`${TRAILER}\` to requests with \`TE: trailers\` or`,
  "`summary=trailer`, or as the last row with `summary=row`. Where the body has a declared length up to 1 MiB",
  "and the answer is as short, the field is a header instead. An answer without its last chunk was cut, and is",
  "not whole; where the body is the reason, its last row says so with `code` and `message`.",
].join(" ");

export interface StreamParts {
  /** They change when the lists do. */
  readonly streamClassifiers: () => StreamClassifiers;
  readonly streams: StreamPlaces;
  /** Called with the counts at the end of a stream. */
  readonly noteRows: (summary: Summary) => void;
}

export const STREAM: RouteStream = {
  types: ROW_TYPES,
  answers: [ANSWER_TYPES.ndjson, "text/csv"],
  shape: text("Rows: one address a line, CSV with a header, or one JSON object a line; plain or gzip."),
};

export function answerStream({ streamClassifiers, streams, noteRows }: StreamParts): Handler {
  return async (request) => {
    const classifiers = streamClassifiers();
    let settings: StreamSettings;
    try {
      settings = settingsOf(request, classifiers.policy);
    } catch (error) {
      return faultOf(error);
    }
    const { bytes, caller, peer } = request;
    if (!streams.take(caller?.id ?? addressGroup(peer), bytes)) return tooMany(streams.limit);
    let stream: Stream;
    try {
      stream = await Stream.open(bytes, settings, classifiers.classifying(settings.rows.policy));
      await bytes.arrived();
    } catch (error) {
      streams.leave(bytes);
      return faultOf(error);
    }
    return answerOf(stream, settings, request, () => {
      streams.leave(bytes);
      noteRows(stream.summary);
    });
  };
}

function answerOf(
  stream: Stream,
  settings: StreamSettings,
  request: ApiRequest,
  done: () => void,
): StreamedAnswer | Promise<Answer | StreamedAnswer> {
  let rows = 0;
  const run = async (sink: ByteSink): Promise<string> => {
    try {
      const summary = await stream.run(sink, request.signal);
      if (settings.summary === "row") await sink.write(stream.rowOf(JSON.stringify({ summary })));
      return asciiJson(summary);
    } catch (error) {
      // The caller of a part expects only rows.
      const reason = String(faultOf(error).body).trim();
      if (!settings.part) await sink.write(stream.rowOf(reason)).catch(() => {});
      throw error;
    } finally {
      ({ rows } = stream.summary);
      done();
    }
  };
  const trailer = takesTrailer(settings, request) ? TRAILER : undefined;
  const answer = { type: ANSWER_TYPES[settings.format], trailer, run, rows: () => rows };
  return trailer !== undefined && request.bytes.isShort ? withHeader(answer) : answer;
}

/** Whether the caller can read a trailer (RFC 9110 §6.5.1). */
function takesTrailer({ summary, part }: StreamSettings, request: ApiRequest): boolean {
  if (summary !== undefined || part) return summary === "trailer";
  return request
    .header("te")
    .split(",")
    .some((coding) => /^\s*trailers\s*(;|$)/i.test(coding));
}

/** A short answer has its summary in a header. */
async function withHeader(answer: StreamedAnswer): Promise<Answer | StreamedAnswer> {
  const collected = new CollectedOutput();
  const running = answer.run(collected);
  // A failure after the answer has begun is handled there.
  running.catch(() => {});
  try {
    const summary = await Promise.race([running, collected.full]);
    if (summary === undefined) return { ...answer, run: (sink) => collected.flow(sink).then(() => running) };
    const { type, rows } = answer;
    return { status: 200, type, body: collected.bytes, headers: [TRAILER, summary], rows: rows() };
  } catch (error) {
    return faultOf(error);
  }
}

function settingsOf(request: ApiRequest, policy: Policy): StreamSettings {
  const kind = kindOf(request.header("content-type"));
  const format = formatFor(kind, request.header("accept"));
  return streamSettings(kind, format, readStreamQuery(request.query), policy);
}

function faultOf(error: unknown): Answer {
  if (!isAddrsiftError(error)) throw error;
  if (error.code === "USAGE") return fault("INVALID_QUERY", inWordsOf(REQUEST, error));
  if (error.code === "INPUT") return fault("INVALID_BODY", inWordsOf(REQUEST, error));
  throw error;
}

function tooMany(limit: number): Answer {
  const running = `${limit} ${limit === 1 ? "stream is" : "streams are"} under way`;
  const message = `${running}, and no more may be: try again in ${RETRY_SECONDS} s`;
  return fault("RATE_LIMITED", message, ["Retry-After", RETRY_SECONDS]);
}

function asciiJson(value: object): string {
  return escapeJson(value, /[^\x20-\x7e]/g);
}

/** The rows of a stream by their strongest class, for the metrics. */
export function rowsByClass(summary: Summary): (readonly [AddressClass, number])[] {
  const names = ["invalid", "disposable", "relay", "public"] as const;
  const classed = summary.classSets().filter(([bits]) => (bits & ROW_CLASS.blank) === 0);
  return classed.map(([bits, rows]) => [names.find((name) => (bits & ROW_CLASS[name]) !== 0) ?? "other", rows]);
}

const KEPT_BYTES = 1024 * 1024;

/** Keeps up to KEPT_BYTES; then its writer waits for `flow`. */
class CollectedOutput implements ByteSink {
  private fill: () => void = () => {};
  private begin: (flowed: Promise<void>) => void = () => {};
  /** Resolves when the writer waits. */
  readonly full: Promise<undefined> = new Promise((resolve) => {
    this.fill = () => resolve(undefined);
  });
  private readonly flowing = new Promise<void>((resolve) => {
    this.begin = resolve;
  });
  private readonly pieces: Uint8Array[] = [];
  private length = 0;
  private sink: ByteSink | undefined;

  get bytes(): Uint8Array {
    return Buffer.concat(this.pieces);
  }

  async write(bytes: Uint8Array): Promise<void> {
    if (this.sink !== undefined) return this.sink.write(bytes);
    this.pieces.push(bytes.slice());
    this.length += bytes.length;
    if (this.length <= KEPT_BYTES) return undefined;
    this.fill();
    return this.flowing;
  }

  /** Writes the kept bytes and all that follow to another sink. The writer gets a failure of that sink. */
  flow(sink: ByteSink): Promise<void> {
    const flowed = this.flowTo(sink);
    this.begin(flowed);
    return flowed;
  }

  private async flowTo(sink: ByteSink): Promise<void> {
    for (const piece of this.pieces.splice(0)) await sink.write(piece);
    this.sink = sink;
  }
}
