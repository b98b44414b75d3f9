// What `addrsift serve` is told by options and environment, checked and as values.

import { AddrsiftError } from "../../../errors.ts";
import { readPublicUrl } from "../../open/public-url.ts";
import type { Arguments } from "../../options/arguments.ts";
import type { LogLevel } from "./log.ts";

/** The daemon's settings. */
export interface ServeSettings {
  /** As the resolver takes it: without brackets. */
  readonly host: string;
  readonly port: number;
  /** Without a slash at its end, a query or a fragment. */
  readonly publicUrl: URL | undefined;
  readonly publicDetect: boolean;
  readonly metricsPublic: boolean;
  /** Requests a second. */
  readonly rateLimit: number | undefined;
  readonly connectionsMax: number;
  readonly logLevel: LogLevel;
  readonly logAddresses: boolean;
}

/** Reads the settings. Throws AddrsiftError USAGE for one that makes no sense. */
export function serveSettings(args: Arguments): ServeSettings {
  return {
    host: hostOf(args.text("host") as string),
    port: wholeNumber(args, "port", 0, 65_535) as number,
    publicUrl: publicUrlOf(args),
    publicDetect: args.flag("public-detect"),
    metricsPublic: args.flag("metrics-public"),
    rateLimit: wholeNumber(args, "rate-limit", 1, 1_000_000),
    connectionsMax: wholeNumber(args, "max-connections", 1, 65_536) as number,
    logLevel: args.flag("quiet") ? "error" : (args.text("log-level") as LogLevel),
    logAddresses: args.flag("log-addresses"),
  };
}

function hostOf(text: string): string {
  const host = text.replace(/^\[(.*)\]$/, "$1").toLowerCase();
  // A port, a scheme or a path in it is a mistake that the resolver would only call unknown.
  if (/^[a-z0-9._-]{1,253}$/.test(host) || /^[0-9a-f:.]{2,45}(?:%[a-z0-9]+)?$/.test(host)) return host;
  throw new AddrsiftError("USAGE", `--host ${text} is no address: give one such as 127.0.0.1, ::1 or 0.0.0.0`);
}

function wholeNumber(args: Arguments, name: string, min: number, max: number): number | undefined {
  const text = args.text(name);
  if (text === undefined) return undefined;
  const number = /^[0-9]{1,7}$/.test(text) ? Number(text) : -1;
  if (number >= min && number <= max) return number;
  throw new AddrsiftError("USAGE", `--${name} ${text} is out of range: give a whole number from ${min} to ${max}`);
}

function publicUrlOf(args: Arguments): URL | undefined {
  const { ADDRSIFT_PUBLIC_URL = "" } = process.env;
  return readPublicUrl(args.text("public-url") ?? ADDRSIFT_PUBLIC_URL);
}
