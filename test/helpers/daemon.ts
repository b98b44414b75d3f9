// Starts the real daemon on a free port with a new home, and sends requests to it over real sockets.

import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { type IncomingHttpHeaders, request } from "node:http";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { CHANNELS } from "../../src/channels/record.ts";
import { VERIFICATION_MAILS, VERIFICATIONS } from "../../src/channels/verification-records.ts";
import { KEYS, Keys } from "../../src/keys/keys.ts";
import { SCOPES, type Scope } from "../../src/keys/scopes.ts";
import { Store } from "../../src/store/store.ts";
import { freePort } from "./programs.mjs";
import { COMMAND, cleanEnvironment } from "./run.ts";

/** A running daemon. */
export interface Daemon {
  readonly home: string;
  readonly port: number;
  /** Without a final slash. */
  readonly url: string;
  readonly child: ChildProcess;
  /** Returns what the daemon has written to standard error so far. */
  readonly log: () => string;
  /** Sends a signal (default: SIGTERM), waits for the end, removes the home and returns the exit status. */
  readonly stop: (signal?: NodeJS.Signals) => Promise<number | null>;
}

interface DaemonSetup {
  /** An existing home, which is kept when the daemon stops. */
  readonly home?: string;
  /** Default: a free port. */
  readonly port?: number;
  readonly env?: Readonly<Record<string, string>>;
  readonly command?: string;
  readonly uid?: number;
}

/** Starts a daemon that is killed at the end of the current test. */
export async function testDaemon(args: readonly string[] = [], setup: DaemonSetup = {}): Promise<Daemon> {
  const daemon = await startDaemon(args, setup);
  onTestFinished(async () => void (await daemon.stop("SIGKILL")));
  return daemon;
}

/** Starts `addrsift serve` with these arguments, and waits until it listens. */
export async function startDaemon(args: readonly string[] = [], setup: DaemonSetup = {}): Promise<Daemon> {
  const home = setup.home ?? mkdtempSync(join(tmpdir(), "addrsift-home-"));
  // At levels above info, the log does not contain the port.
  const chosenPort = /^(warn|error|fatal|silent)$/.test(args[args.lastIndexOf("--log-level") + 1] ?? "")
    ? await freePort()
    : (setup.port ?? 0);
  const all = [setup.command ?? COMMAND, "serve", "--home", home, "--port", String(chosenPort), ...args];
  const child = spawn(process.execPath, all, {
    env: cleanEnvironment(setup.env ?? {}),
    stdio: ["ignore", "pipe", "pipe"],
    ...(setup.uid !== undefined && { uid: setup.uid }),
  });
  let log = "";
  const ended = new Promise<number | null>((resolve) => child.once("close", (code) => resolve(code)));
  const port = await new Promise<number>((resolve, reject) => {
    let isKnown = false;
    child.stderr.on("data", (chunk: Buffer) => {
      log += chunk.toString();
      const match = isKnown ? null : /"msg":"listening on http:\/\/[^"]*:(\d+)"/.exec(log);
      if (match === null) return;
      isKnown = true;
      resolve(Number(match[1]));
    });
    child.once("close", () => reject(new Error(`the daemon did not start: ${log}`)));
    if (chosenPort !== 0) waitUntilListening(chosenPort, child).then(() => resolve(chosenPort), reject);
  });
  return {
    home,
    port,
    url: `http://127.0.0.1:${port}`,
    child,
    log: () => log,
    stop: async (signal = "SIGTERM") => {
      child.kill(signal);
      const status = await ended;
      if (setup.home === undefined) rmSync(home, { recursive: true, force: true });
      return status;
    },
  };
}

/** Connects repeatedly until the port accepts a connection or the process has ended. */
async function waitUntilListening(port: number, child: ChildProcess): Promise<void> {
  while (child.exitCode === null) {
    const isListening = await new Promise<boolean>((resolve) => {
      const socket = connect(port, "127.0.0.1", () => socket.end(() => resolve(true)));
      socket.once("error", () => resolve(false));
    });
    if (isListening) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** A response. */
export interface Reply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** The body parsed as JSON; an empty object if it is not JSON. */
  readonly json: Record<string, unknown>;
}

export interface RequestOptions {
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  /** An object is sent as JSON, with that media type. */
  readonly body?: string | Uint8Array | Readonly<Record<string, unknown>>;
  readonly key?: string;
}

/** Sends a request on a new connection. The path is sent unchanged. */
export function send(port: number, method: string, path: string, options: RequestOptions = {}): Promise<Reply> {
  const { body, key } = options;
  const isRaw = body === undefined || typeof body === "string" || body instanceof Uint8Array;
  const headers = {
    ...(isRaw ? {} : { "content-type": "application/json" }),
    ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
    ...(options.headers as Record<string, string>),
  };
  return new Promise((resolve, reject) => {
    const outgoing = request({ host: "127.0.0.1", port, method, path, headers, agent: false }, (incoming) => {
      const chunks: Buffer[] = [];
      incoming.on("data", (chunk: Buffer) => chunks.push(chunk));
      incoming.on("error", reject);
      incoming.on("end", () => {
        const text = Buffer.concat(chunks).toString("utf8");
        const { statusCode = 0 } = incoming;
        resolve({ status: statusCode, headers: incoming.headers, text, json: parseJson(text) });
      });
    });
    outgoing.on("error", reject);
    outgoing.end(isRaw ? body : JSON.stringify(body));
  });
}

function parseJson(text: string): Record<string, unknown> {
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    return {};
  }
}

/**
 * Sends the chunks with pauses, each once `isReady` returns true for the text received so far. Returns everything that
 * was received until the daemon closed the connection.
 */
export function sendRaw(
  port: number,
  chunks: readonly (string | Uint8Array)[],
  isReady: (text: string, index: number) => boolean = () => true,
): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    let text = "";
    socket.on("data", (chunk) => {
      text += chunk.toString("latin1");
    });
    // A reset also closes the connection; what was received before it is returned.
    socket.on("error", () => {});
    socket.on("close", () => resolve(text));
    socket.on("connect", async () => {
      for (const [index, chunk] of chunks.entries()) {
        while (index > 0) {
          await new Promise((resolve) => setTimeout(resolve, 20));
          if (socket.destroyed || isReady(text, index)) break;
        }
        if (!socket.destroyed) socket.write(chunk);
      }
    });
  });
}

export interface KeyOptions {
  readonly scopes?: readonly Scope[];
  readonly team?: string;
  readonly expires?: string;
  /** Creation time in milliseconds since 1970, so that a key can already have expired. */
  readonly nowMs?: number;
}

/** Creates a key in a home, as `addrsift keys create` does. Returns the key and its id. */
export async function makeKey(
  home: string,
  options: KeyOptions = {},
): Promise<{ readonly text: string; readonly id: string }> {
  const { scopes = SCOPES, team = "default", expires, nowMs = Date.now() } = options;
  const created = await keysIn(home, nowMs).create({ name: "test", scopes, team, expires });
  if (!created.ok) throw new Error(created.fault);
  return { text: created.value.text, id: created.value.key.id };
}

/** Revokes a key in a home. */
export async function revokeKey(home: string, id: string): Promise<void> {
  await keysIn(home, Date.now()).revoke(id);
}

function keysIn(home: string, nowMs: number): Keys {
  const warn = (line: string): void => {
    throw new Error(line);
  };
  const store = new Store({ folder: home, file: "store.json", warn }, [
    KEYS,
    CHANNELS,
    VERIFICATIONS,
    VERIFICATION_MAILS,
  ]);
  return new Keys(store, { now: () => nowMs, random: randomBytes, warn });
}
