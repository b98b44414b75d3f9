// Asks the daemon about an address, with a timeout and one retry. A sign-up must not fail or hang if the daemon does.
// Use: copy classify into your program, or run DAEMON_KEY=adsf_… node client.mjs jane@gmial.com

import { setTimeout as sleep } from "node:timers/promises";

const { DAEMON_URL = "http://127.0.0.1:8025", DAEMON_KEY } = process.env;
// The daemon waits up to 2 s for DNS. With the retry, classify takes at most 8 s, and usually milliseconds.
const TIMEOUT_MS = 3000;
const RETRY_DELAY_MS = 2000;
// 502 and 504 are from a proxy that can't reach the daemon, for example while it restarts.
const RETRIED_STATUSES = [429, 502, 503, 504];

/** Returns undefined if the daemon does not answer: then accept the address, and check it again later. */
export async function classify(email, isRetry = false) {
  const headers = { "content-type": "application/json", ...(DAEMON_KEY && { authorization: `Bearer ${DAEMON_KEY}` }) };
  const body = JSON.stringify({ emails: [email], classes: true, explain: true });
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  try {
    const response = await fetch(`${DAEMON_URL}/api/v1/emails/detect`, { method: "POST", headers, body, signal });
    if (response.ok) {
      const [{ classes, explain }] = (await response.json()).data;
      return { classes, suggestion: explain.suggestion };
    }
    // For example a wrong key, which the operator must correct.
    if (isRetry || !RETRIED_STATUSES.includes(response.status)) throw new Error(await response.text());
  } catch (error) {
    // A TypeError of fetch is a failed connection. A timeout is not retried.
    const canRetry = error instanceof TypeError && !isRetry;
    if (!canRetry) return void console.error(`addrsift: ${error.cause?.code ?? error.message}`);
  }
  await sleep(RETRY_DELAY_MS);
  return classify(email, true);
}

for (const email of process.argv.slice(2)) {
  const { classes = ["no answer"], suggestion } = (await classify(email)) ?? {};
  console.log(`${email} ${classes.join(",")}${suggestion === undefined ? "" : ` did you mean ${suggestion}?`}`);
}
