// The option table of `addrsift serve`.

import { DATA_VERSION, inGroup, MIN_CONFIDENCE, SYNTAX_OPTIONS } from "../../bulk/run/option-table.ts";
import { SOURCE } from "./source.ts";
import { ALLOW_PRIVATE, type CommandSpec, DNS_MODE, DNS_OPTIONS, type OptionSpec } from "./table.ts";

const PORTS = [0, 65_535] as const;

/** Gives each option the variable of its name, such as ADDRSIFT_LOG_LEVEL. The list of name servers has its own. */
function withVariables<const Options extends readonly OptionSpec[]>(options: Options): Options {
  return options.map((option) => {
    const environment = `ADDRSIFT_${option.name.toUpperCase().replaceAll("-", "_")}`;
    return option.list === true ? option : { ...option, environment };
  }) as readonly OptionSpec[] as Options;
}

export const SERVE = {
  name: "serve",
  summary: "serve the HTTP API: detection, notification channels, health and metrics",
  options: [
    ...withVariables([
      ...inGroup("Network", {
        host: {
          value: "ADDRESS",
          default: "127.0.0.1",
          help: "address to listen on; unless it is a loopback address, detection needs an API key",
        },
        port: { value: "N", range: PORTS, default: "8025", help: "port to listen on; 0 picks a free port and logs it" },
        "public-url": {
          value: "URL",
          help: "URL of the daemon for its clients, through a proxy; unless it is local, detection needs a key",
        },
        "trust-proxy": {
          value: "CIDR",
          repeat: true,
          help: "trust X-Forwarded-For from a proxy in this range, for limits and the log; may be repeated",
        },
      }),
      ...inGroup("Access", {
        "public-detect": { help: "detection needs no API key, on any address" },
        "cors-origin": {
          value: "URL",
          repeat: true,
          help: "allow cross-origin requests from this origin (CORS), such as https://app.example.com; may be repeated",
        },
        "no-page": { help: "do not serve the web UI at /" },
        "metrics-public": { help: "serve /metrics to everyone, not only to loopback peers" },
        "metrics-port": {
          value: "N",
          range: PORTS,
          help: "serve /metrics without a key on this port of --host, not on --port; 0 picks a free port and logs it",
        },
        "rate-limit": {
          value: "N",
          range: [1, 1_000_000],
          help: "maximum requests per second for each API key, or for each address without a key; no limit if not set",
        },
        "max-connections": {
          value: "N",
          range: [1, 65_536],
          default: "4096",
          help: "maximum number of open connections, 1 to 65536",
        },
        "stream-limit": {
          value: "N",
          range: [1, 1000],
          default: "16",
          help: "maximum number of concurrent streams of rows, 1 to 1000; more get status 429",
        },
      }),
      ...inGroup("Notify", {
        proxy: {
          value: "URL",
          help:
            "send webhooks through this HTTP proxy, except to hosts in $NO_PROXY; it resolves host names, " +
            "so it must block access to your private network; @FILE reads a URL with a password",
        },
      }),
      ...inGroup("DNS", {
        dns: {
          ...DNS_MODE,
          default: "on",
          help: "look up unlisted domains in DNS; auto is the same as on; off sends no query, even on request",
        },
      }),
      ...DNS_OPTIONS,
      MIN_CONFIDENCE,
      { ...DATA_VERSION, excludes: { "update-lists": "choose one" } },
      ...inGroup("Lists", {
        "update-lists": {
          value: "SPAN",
          time: { min: "10s", max: "90d", examples: "24h" },
          help:
            "update the lists at this interval, such as 24h or 30m; if not set, only load lists that another process " +
            "installs in the home",
        },
      }),
      { ...SOURCE, needs: ["update-lists", "24h"] },
      ...SYNTAX_OPTIONS,
      ...inGroup("Log", {
        "log-level": {
          value: "LEVEL",
          choices: ["trace", "debug", "info", "warn", "error", "fatal", "silent"],
          default: "info",
          help: "lowest level to log; info includes requests, warn only the start, the stop and warnings",
        },
        "log-addresses": {
          help: "also log addresses: the queries of detections, paths with a domain, and unknown paths",
        },
      }),
    ]),
    ALLOW_PRIVATE,
    {
      name: "check",
      help: "only check the settings, the address, the home, the store and the lists; status 2 if they are wrong",
    },
  ],
  examples: {
    "addrsift serve": "on http://127.0.0.1:8025, only for this machine",
    "addrsift serve --host 0.0.0.0 --rate-limit 50 --log-level warn": "for a network: detection needs an API key",
    "addrsift serve --update-lists 24h": "updates the lists once a day",
    "addrsift serve --public-url https://addrsift.example.com": "behind a proxy that terminates TLS",
  },
} as const satisfies CommandSpec;
