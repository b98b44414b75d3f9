// Handles streams: sends one row for each row received, while the body is still arriving.

import { isAddrsiftError } from "../../../base/errors.ts";
import { text } from "../../../base/shapes.ts";
import { renderMessage } from "../../../bulk/messages.ts";
import type { Policy } from "../../../bulk/run/options.ts";
import type { ByteSink } from "../../../bulk/streams.ts";
import type { Summary } from "../../../bulk/summary.ts";
import { escapeJson } from "../../../detection/format.ts";
import { addressGroup } from "../../http/authorization.ts";
import { parseWeights } from "../../http/body-io.ts";
import { type ApiResponse, fault, rateLimited, type StreamedResponse } from "../../http/response.ts";
import type { ApiRequest, Handler, RouteStream } from "../../http/route.ts";
import type { StreamSlots } from "../../http/stream-slots.ts";
import { readStreamQuery } from "./parameters.ts";
import { Stream, type StreamClassifiers } from "./run.ts";
import {
  chooseFormat,
  HTTP_WORDING,
  RESPONSE_MEDIA_TYPES,
  ROW_MEDIA_TYPES,
  rowKindOf,
  type StreamSettings,
  streamSettings,
} from "./settings.ts";

const TRAILER = "Addrsift-Summary";

export const STREAM_DESCRIPTION: string = [
  "Returns one row for each input row, in order, while the body is still being sent, so read the response meanwhile.",
  "A client that can't do that can send its input in parts of whole rows, without the header of CSV, with `part=true`",
  "and `column`. The response to a CSV body is CSV with added columns; otherwise it is NDJSON; Accept can select the",
  "other one of these two.",
  `The counts are sent as JSON in the trailer field \`${TRAILER}\`, if the request has \`TE: trailers\` or`,
  "`summary=trailer`, or as the last row, with `summary=row`. A response without its last chunk was truncated; if",
  "the body is the reason, the last row has `code` and `message`.",
].join(" ");

export interface StreamDeps {
  /** The result changes when the lists do. */
  readonly streamClassifiers: () => StreamClassifiers;
  readonly streams: StreamSlots;
  readonly onStreamEnd: (summary: Summary) => void;
}

export const STREAM_ROUTE: RouteStream = {
  types: ROW_MEDIA_TYPES,
  responseTypes: [RESPONSE_MEDIA_TYPES.ndjson, "text/csv"],
  shape: text("Rows: one address a line, CSV with a header, or one JSON object a line; plain or gzip."),
};

export function createStreamHandler({ streamClassifiers, streams, onStreamEnd }: StreamDeps): Handler {
  return async (request) => {
    const classifiers = streamClassifiers();
    let settings: StreamSettings;
    try {
      settings = readSettings(request, classifiers.policy);
    } catch (error) {
      return toFault(error);
    }
    const { stream: body, caller, peer } = request;
    if (!streams.acquire(caller?.id ?? addressGroup(peer), body)) return tooManyStreams(streams.capacity);
    let stream: Stream;
    try {
      stream = await Stream.open(body, settings, classifiers.get(settings.rows.policy));
      await body.waitUntilReady();
    } catch (error) {
      streams.release(body);
      return toFault(error);
    }
    return createStreamedResponse(stream, settings, request, () => {
      streams.release(body);
      onStreamEnd(stream.summary);
    });
  };
}

function createStreamedResponse(
  stream: Stream,
  settings: StreamSettings,
  request: ApiRequest,
  done: () => void,
): StreamedResponse {
  const run = async (sink: ByteSink): Promise<string> => {
    try {
      const summary = await stream.run(sink, request.signal);
      if (settings.summary === "row") await sink.write(stream.encodeRow(JSON.stringify({ summary })));
      // Header fields are ASCII.
      return escapeJson(summary, /[^\x20-\x7e]/g);
    } catch (error) {
      // With `part`, the client expects only rows.
      const reason = String(toFault(error).body).trim();
      if (!settings.part) await sink.write(stream.encodeRow(reason)).catch(() => {});
      throw error;
    } finally {
      done();
    }
  };
  const trailer = acceptsTrailer(settings, request) ? TRAILER : undefined;
  return { type: RESPONSE_MEDIA_TYPES[settings.format], trailer, run, rows: () => stream.summary.rows };
}

/** Reports whether the client accepts a trailer (RFC 9110 §6.5.1). */
function acceptsTrailer({ summary, part }: StreamSettings, request: ApiRequest): boolean {
  if (summary !== undefined || part) return summary === "trailer";
  return parseWeights(request.header("te")).has("trailers");
}

function readSettings(request: ApiRequest, policy: Policy): StreamSettings {
  const kind = rowKindOf(request.header("content-type"));
  const format = chooseFormat(kind, request.header("accept"));
  return streamSettings(kind, format, readStreamQuery(request.query), policy);
}

/** Returns the response to an error in the query or the body. Throws other errors again. */
export function toFault(error: unknown): ApiResponse {
  if (!isAddrsiftError(error)) throw error;
  if (error.code === "USAGE") return fault("INVALID_QUERY", renderMessage(HTTP_WORDING, error));
  if (error.code === "INPUT") return fault("INVALID_BODY", renderMessage(HTTP_WORDING, error));
  throw error;
}

function tooManyStreams(capacity: number): ApiResponse {
  const problem = `${capacity} ${capacity === 1 ? "stream is" : "streams are"} active, which is the maximum`;
  return rateLimited(problem);
}
