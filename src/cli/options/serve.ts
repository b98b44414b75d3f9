// The option table of `addrsift serve`.

import { ALLOW_PRIVATE, DNS_OPTIONS, MIN_CONFIDENCE, SYNTAX_OPTIONS } from "./shared.ts";
import type { CommandSpec, OptionSpec } from "./types.ts";

const ADDRESS_OPTIONS = [
  {
    name: "host",
    value: "ADDRESS",
    default: "127.0.0.1",
    help: "the address to listen on; others than loopback ones need a key for everything",
  },
  { name: "port", value: "N", default: "8025", help: "the port to listen on; 0 takes a free one and says which" },
  {
    name: "public-url",
    value: "URL",
    help: "the URL under which others reach the daemon, through a proxy (default: $ADDRSIFT_PUBLIC_URL)",
  },
] as const satisfies readonly OptionSpec[];

const ACCESS_OPTIONS = [
  { name: "public-detect", help: "detection needs no API key, wherever the daemon listens" },
  { name: "metrics-public", help: "/metrics answers everybody, not loopback peers alone" },
  {
    name: "rate-limit",
    value: "N",
    help: "requests a second for each API key, and for each address without one (default: no limit)",
  },
  { name: "max-connections", value: "N", default: "4096", help: "open connections at most, 1 to 65536" },
] as const satisfies readonly OptionSpec[];

const LIVE_DNS = {
  name: "dns",
  value: "MODE",
  choices: ["on", "off"],
  default: "on",
  help: "live DNS for domains that no list settles; with off not one packet is sent, whatever a request asks for",
} as const satisfies OptionSpec;

const LOG_OPTIONS = [
  {
    name: "log-level",
    value: "LEVEL",
    choices: ["trace", "debug", "info", "warn", "error", "fatal", "silent"],
    default: "info",
    help: "lowest level to log; requests, the start and the stop are logged at info",
  },
  { name: "log-addresses", help: "the log shows the query of a detection, and with it the address" },
] as const satisfies readonly OptionSpec[];

const SERVE_EXAMPLES = [
  ["addrsift serve", "on http://127.0.0.1:8025, for this machine alone"],
  ["addrsift serve --host 0.0.0.0 --rate-limit 50 --log-level warn", "for a network: every request needs an API key"],
  ["addrsift serve --public-url https://addrsift.example.com", "behind a proxy that ends TLS"],
] as const satisfies CommandSpec["examples"];

export const SERVE = {
  name: "serve",
  summary: "answer over HTTP: detection, notification channels, health and metrics",
  options: [
    ...ADDRESS_OPTIONS,
    ...ACCESS_OPTIONS,
    ALLOW_PRIVATE,
    LIVE_DNS,
    ...DNS_OPTIONS,
    MIN_CONFIDENCE,
    ...SYNTAX_OPTIONS,
    ...LOG_OPTIONS,
  ],
  examples: SERVE_EXAMPLES,
} as const satisfies CommandSpec;
