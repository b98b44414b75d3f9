// The texts of addrsift-serve(1) that the option table does not have. Routes and codes come from the tables that the daemon goes by.

import { API_FAULTS } from "../server/http/faults.ts";
import type { Route } from "../server/http/route.ts";
import { ROUTES } from "../server/routes/table.ts";
import type { CommandText, Section } from "./roff.ts";

export const SERVE_TEXT: CommandText = {
  description: [
    "`addrsift serve` answers over HTTP until a signal ends it: detection with the same lists, live DNS and options as `addrsift detect`, a team's notification channels, health, metrics and an OpenAPI 3.1 document. Bodies are JSON in UTF-8. In a query a `+` is a plus, for addresses have no spaces.",
    "Without options it listens on 127.0.0.1 port 8025. Detection needs no key there, unless `--public-url` says that others come in through a proxy; everywhere else it needs an API key with the scope `emails:detect`, unless `--public-detect` opens it. A key that is sent is always checked. Everything about channels needs a key. Keys are made by `addrsift-keys`(1), and sent as `Authorization: Bearer` {API_KEY}.",
    "On a loopback address the Host header must be `localhost`, a loopback address or the host of `--public-url`: so no web page can use a name of its own to reach the daemon.",
    "Updated lists in the home and new or revoked keys are taken up within a second or so, without a restart.",
  ],
  examples: [
    "Ask it:",
    {
      lines: [
        "$ curl -s 'http://127.0.0.1:8025/api/v1/emails/detect?email=jane.doe+news@gmail.com'",
        "$ curl -s http://127.0.0.1:8025/api/v1/emails/detect \\",
        "    -H 'Content-Type: application/json' \\",
        '    -d \'{"emails":["jane@gmail.com","joe@mailinator.com"],"explain":true}\'',
      ],
    },
  ],
};

/** The sections of the page on `serve`. */
export function serveSections(): Section[] {
  const routes = ROUTES.map((route) => [`\`${route.method} ${route.path}\``, routeText(route)] as const);
  const codes = Object.entries(API_FAULTS).map(
    ([code, { status, meaning }]) => [`\`${code}\` (${status})`, meaning] as const,
  );
  return [
    {
      title: "ROUTES",
      blocks: [
        "`/openapi.json` describes each with its parameters, bodies and answers. GET routes answer HEAD as well.",
        { terms: routes },
      ],
    },
    {
      title: "ERROR CODES",
      blocks: [
        'Every error is `{"code": ..., "message": ...}`; the message says what is wrong and how to mend it. Checks go in this order: host, route, method, key, scope, media type, size, body.',
        { terms: codes },
      ],
    },
    ...OPERATION,
  ];
}

function routeText({ summary, scope, openable, body }: Route): string {
  const key =
    scope === undefined
      ? "Needs no key."
      : `Needs a key with \`${scope}\`${openable ? ", unless detection is open" : ""}.`;
  const size = body === undefined ? "" : ` The body has at most ${body.limitBytes / 1024} KiB.`;
  return `${summary}. ${key}${size}`;
}

const OPERATION: readonly Section[] = [
  {
    title: "LIMITS",
    blocks: [
      {
        terms: [
          ["time", "10 s for the headers of a request, 15 s for all of it; 10 s between two requests of a connection."],
          ["size", "16 KiB for line and headers, 4 KiB for an address in a query, 1,000 addresses in a batch."],
          [
            "live DNS",
            "24 questions at once for a batch and 30 for all batches, so that single addresses have the rest. What has had no turn in 10 s is a `timeout`.",
          ],
          [
            "connections",
            "`--max-connections`. Beyond it, those that have said nothing yet are closed first, the oldest before the newest.",
          ],
          [
            "rate",
            "`--rate-limit` for each key; 20 failed keys a minute for each address (the /64 of an IPv6 one). Good keys go on working there.",
          ],
        ],
      },
    ],
  },
  {
    title: "LOG",
    blocks: [
      "One JSON object a line on standard error: each request with method, route, status, milliseconds, peer and the key's id, and what the daemon itself has to say. The route is the table's: paths, queries, addresses, keys and tokens of callers are left out. `--log-addresses` adds the query of detections. From `warn` up requests are left out; `silent` writes nothing at all.",
      "`/metrics` has counters in the Prometheus text format, for peers on this machine alone, and for nobody with `--public-url`, unless `--metrics-public` is given.",
    ],
  },
  {
    title: "SIGNALS",
    blocks: [
      "SIGTERM and SIGINT stop it: no more connections are taken, each kept-alive one ends with its next answer, and what was accepted is finished, for up to 20 s. A second signal ends it at once. The exit status is 143 or 130.",
    ],
  },
];
