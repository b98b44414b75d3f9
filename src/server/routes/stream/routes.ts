// The route of streams: rows of any number in, a row out for each, answered as they are read.

import { ROW_CLASS } from "../../../bulk/classes.ts";
import type { Summary } from "../../../bulk/summary.ts";
import { escapeJson } from "../../../detection/format.ts";
import { isAddrsiftError } from "../../../errors.ts";
import { text } from "../../../shapes.ts";
import { type Answer, fault, type StreamedAnswer } from "../../http/answer.ts";
import type { ApiRequest, Handler, RouteOver } from "../../http/route.ts";
import { DETECTION_ACCESS } from "../detect/request.ts";
import type { StreamGround } from "./ground.ts";
import { ANSWER_TYPES, formatFor, kindOf, ROW_TYPES } from "./media.ts";
import { readStreamQuery, STREAM_PARAMETERS } from "./parameters.ts";
import { Stream } from "./run.ts";
import { type StreamSettings, streamSettings } from "./settings.ts";
import { inQueryWords } from "./words.ts";

const TRAILER = "Addrsift-Summary";
const RETRY_SECONDS = "5";

const DESCRIPTION = [
  "The media type of the body chooses this: the path is that of the POST with JSON, and what is behind the # is not sent.",
  "A row comes back for each row, in order, while the body is still sent: read the answer meanwhile. A client that can't do that sends",
  "its input in parts, with `part=true` and `column`.",
  "The answer is NDJSON; it is CSV, with the columns of the body and added ones, when the body is CSV; Accept chooses the other one.",
  `The trailer field \`${TRAILER}\` holds the counts as JSON. An answer without its last chunk was cut, and is not whole.`,
].join(" ");

/** What streams work with. */
export interface StreamParts {
  /** The ground of the moment: it changes when the lists do. */
  readonly streamGround: () => StreamGround;
  readonly streams: StreamSlots;
  /** Counts the rows of a stream that has ended. */
  readonly noteRows: (summary: Summary) => void;
}

/** How many streams may run, and how many do. */
export class StreamSlots {
  running = 0;
  readonly limit: number;

  constructor(limit: number) {
    this.limit = limit;
  }
}

export const STREAM_ROUTES: readonly RouteOver<StreamParts>[] = [
  {
    id: "detectStream",
    method: "POST",
    path: "/api/v1/emails/detect",
    ...DETECTION_ACCESS,
    stream: {
      types: ROW_TYPES,
      answers: [ANSWER_TYPES.ndjson, "text/csv"],
      shape: text("Rows: one address a line, CSV with a header, or one JSON object a line; packed with gzip or not."),
      trailer: TRAILER,
    },
    query: STREAM_PARAMETERS,
    summary: "Classify rows of any number, answered as they are read",
    description: DESCRIPTION,
    answer: text("A row for each row, in order."),
    faults: ["INVALID_QUERY", "INVALID_BODY", "UNSUPPORTED_MEDIA_TYPE"],
    handler: answerStream,
  },
];

function answerStream({ streamGround, streams, noteRows }: StreamParts): Handler {
  return async (request) => {
    const ground = streamGround();
    let settings: StreamSettings;
    try {
      settings = settingsOf(request, ground);
    } catch (error) {
      return faultOf(error);
    }
    if (streams.running >= streams.limit) return tooMany(streams.limit);
    streams.running += 1;
    try {
      const { octets } = request;
      const stream = await Stream.open(octets, settings, ground.classifying(settings.rows.policy));
      await octets.arrived();
      return answerOf(stream, settings, request, () => {
        streams.running -= 1;
        noteRows(stream.summary);
      });
    } catch (error) {
      streams.running -= 1;
      return faultOf(error);
    }
  };
}

function answerOf(stream: Stream, { format }: StreamSettings, request: ApiRequest, done: () => void): StreamedAnswer {
  let rows = 0;
  return {
    type: ANSWER_TYPES[format],
    trailer: TRAILER,
    run: async (sink) => {
      try {
        return asciiJson(await stream.run(sink, request.signal));
      } finally {
        // The counts are taken away then.
        ({ rows } = stream.summary);
        done();
      }
    },
    rows: () => rows,
  };
}

function settingsOf(request: ApiRequest, ground: StreamGround): StreamSettings {
  const kind = kindOf(request.header("content-type"));
  const format = formatFor(kind, request.header("accept"));
  return streamSettings(kind, format, readStreamQuery(request.query), ground.policy);
}

/** What is wrong with the query or with the beginning of the body. */
function faultOf(error: unknown): Answer {
  if (!isAddrsiftError(error)) throw error;
  if (error.code === "USAGE") return fault("INVALID_QUERY", inQueryWords(error.message));
  if (error.code === "INPUT") return fault("INVALID_BODY", inQueryWords(error.message));
  throw error;
}

function tooMany(limit: number): Answer {
  const message = `${limit} ${limit === 1 ? "stream is" : "streams are"} under way, and no more may be: try again in ${RETRY_SECONDS} s`;
  return fault("RATE_LIMITED", message, ["Retry-After", RETRY_SECONDS]);
}

/** A header holds ASCII only. */
function asciiJson(value: object): string {
  return escapeJson(value, /[^\x20-\x7e]/g);
}

/** The classes that the metrics count, from the strongest on, for the rows of a stream. */
export function rowsByClass(
  summary: Summary,
): [name: "invalid" | "disposable" | "relay" | "public" | "other", rows: number][] {
  return summary.take().byClass.flatMap(([bits, rows]) => {
    if ((bits & ROW_CLASS.blank) !== 0) return [];
    const name = (["invalid", "disposable", "relay", "public"] as const).find((each) => (bits & ROW_CLASS[each]) !== 0);
    return [[name ?? "other", rows] as [typeof name & string, number]];
  });
}
