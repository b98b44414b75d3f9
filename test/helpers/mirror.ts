// A mirror of the sources over real sockets, for tests of updates. It serves texts with an ETag, records its responses,
// and misbehaves if a test sets so.

import { createHash } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { Snapshots } from "../../src/curation/build-inputs.ts";
import { SOURCES, type SourceKey, UPDATABLE_KEYS } from "../../src/curation/sources.ts";
import { listenOnFreePort } from "./listening.ts";

type Misbehavior = (response: ServerResponse, text: string) => void;

/** A running mirror. */
export interface Mirror {
  /** The text of each source. Tests can change it. */
  readonly texts: Map<SourceKey, string>;
  /** Functions that respond instead of the mirror, by source. */
  readonly misbehaviors: Map<SourceKey, Misbehavior>;
  /** Source and status of each response, in order. */
  readonly responses: { readonly key: SourceKey; readonly status: number }[];
  /** Returns `--source` options for these sources, or for all. */
  readonly options: (keys?: readonly SourceKey[]) => string[];
  /** Restores the texts of the snapshots, and removes all misbehaviors and recorded responses. */
  readonly reset: () => void;
  readonly close: () => Promise<void>;
}

/** Starts a mirror of a package's snapshots. */
export async function startMirror(snapshots: Snapshots): Promise<Mirror> {
  // A daily list has only the names of its last day.
  const textOf = (key: SourceKey): string => {
    const { names, version } = snapshots[key];
    const latest = [...names].filter(([, [, last]]) => SOURCES[key].daily !== true || last === version);
    return latest.map(([name]) => `${name}\n`).join("");
  };
  const texts = new Map(UPDATABLE_KEYS.map((key): [SourceKey, string] => [key, textOf(key)]));
  const misbehaviors = new Map<SourceKey, Misbehavior>();
  const responses: { key: SourceKey; status: number }[] = [];
  const respond = (request: IncomingMessage, response: ServerResponse): void => {
    const key = (request.url ?? "").slice(1).replace(/\.txt(?:\?.*)?$/, "") as SourceKey;
    const text = texts.get(key);
    response.on("error", () => {});
    if (text === undefined) {
      response.writeHead(404).end();
      return;
    }
    const misbehave = misbehaviors.get(key);
    if (misbehave !== undefined) {
      responses.push({ key, status: 200 });
      misbehave(response, text);
      return;
    }
    const etag = `"${createHash("sha1").update(text).digest("hex")}"`;
    const status = request.headers["if-none-match"] === etag ? 304 : 200;
    responses.push({ key, status });
    response.writeHead(status, { etag, "content-type": "text/plain; charset=utf-8" });
    response.end(status === 200 ? text : undefined);
  };
  const server = createServer(respond);
  const port = await listenOnFreePort(server);
  return {
    texts,
    misbehaviors,
    responses,
    reset: () => {
      misbehaviors.clear();
      responses.length = 0;
      for (const key of UPDATABLE_KEYS) texts.set(key, textOf(key));
    },
    options: (keys = UPDATABLE_KEYS) =>
      keys.flatMap((key) => ["--source", `${key}=http://127.0.0.1:${port}/${key}.txt`]),
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}
