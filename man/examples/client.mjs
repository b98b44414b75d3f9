// Asks the daemon for the classes of an address, with a timeout and one retry. A sign-up must not fail if the daemon does.
// Use: copy classify into your program, or run DAEMON_KEY=adsf_… node client.mjs jane@gmial.com

import { setTimeout as sleep } from "node:timers/promises";

const { DAEMON_URL = "http://127.0.0.1:8025", DAEMON_KEY } = process.env;
// The daemon waits up to 2 s for DNS.
const TIMEOUT_MS = 3000;
const MAX_WAIT_S = 2;

/** Returns the classes, or undefined if there is no answer: then accept the address, and check it again later. */
export async function classify(email, isRetry = false) {
  const headers = { "content-type": "application/json", ...(DAEMON_KEY && { authorization: `Bearer ${DAEMON_KEY}` }) };
  const body = JSON.stringify({ emails: [email], classes: true });
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  try {
    const response = await fetch(`${DAEMON_URL}/api/v1/emails/detect`, { method: "POST", headers, body, signal });
    if (response.ok) return (await response.json()).data[0].classes;
    // For example a wrong key, which the operator must correct.
    if (isRetry || ![429, 503].includes(response.status)) throw new Error(await response.text());
    // A proxy may omit it or send a date.
    const seconds = Number(response.headers.get("retry-after") ?? MAX_WAIT_S);
    await sleep(1000 * (seconds < MAX_WAIT_S ? seconds : MAX_WAIT_S));
  } catch (error) {
    return void console.error(`addrsift: ${error.message}`);
  }
  return classify(email, true);
}

for (const email of process.argv.slice(2)) console.log(email, (await classify(email))?.join(",") ?? "no answer");
