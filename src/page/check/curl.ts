// The request behind a result as a line for a shell. It names a variable where a key is needed, never the key. Without JavaScript there is none,
// because the server does not know by which name a browser reached it.

import { shellQuoted } from "../common/text.ts";

const PATH = "api/v1/emails/detect";

/** A curl line that asks about one address. `base` is the daemon's URL with a slash at its end. */
export function curlFor(email: string, open: boolean, base: string): string {
  const body = JSON.stringify({ emails: [email], explain: true });
  return [
    `curl -s ${shellQuoted(base + PATH)}`,
    "-H 'Content-Type: application/json'",
    ...(open ? [] : ['-H "Authorization: Bearer $API_KEY"']),
    `-d ${shellQuoted(body)}`,
  ].join(" \\\n  ");
}
