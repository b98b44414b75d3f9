// Which web pages may read the API's answers in a browser (the CORS part of the Fetch standard), and what a browser is told.

import type { Answer } from "./answer.ts";

/** The origins of pages that may ask from a browser, such as `https://app.example.com`. */
export type AllowedOrigins = ReadonlySet<string>;

// A browser asks again after this time; most take no more than two hours.
const PREFLIGHT_SECONDS = "7200";

/** Headers for every answer, where there are allowed origins: caches must keep the answers of different pages apart. */
export function crossOriginHeaders(origins: AllowedOrigins, origin: string | undefined): readonly string[] {
  if (origin === undefined || !origins.has(origin)) return ["Vary", "Origin"];
  return [
    "Vary",
    "Origin",
    "Access-Control-Allow-Origin",
    origin,
    "Access-Control-Expose-Headers",
    "Retry-After, WWW-Authenticate, X-Request-Id, Addrsift-Summary",
  ];
}

/** The answer to a browser that asks whether it may send a request to a path with these methods. */
export function preflight(methods: string): Answer {
  return {
    status: 204,
    type: "",
    body: "",
    headers: [
      "Access-Control-Allow-Methods",
      methods,
      "Access-Control-Allow-Headers",
      "Authorization, Content-Type, X-Request-Id",
      "Access-Control-Max-Age",
      PREFLIGHT_SECONDS,
    ],
  };
}
