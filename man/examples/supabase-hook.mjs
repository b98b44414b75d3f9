// A hook that Supabase calls before it creates a user. It rejects malformed and disposable addresses and domains that
// accept no mail.
// Use: npm install addrsift standardwebhooks, run HOOK_SECRET=v1,whsec_… PORT=9001 node supabase-hook.mjs behind a
// proxy that terminates TLS, and enter its URL under Authentication, Hooks, "Before User Created". That page shows the
// secret.

import { createServer } from "node:http";
import { createDetector, createDnsResolver } from "addrsift";
import { Webhook } from "standardwebhooks";

const { HOOK_SECRET, PORT = "9001" } = process.env;
const webhook = new Webhook(HOOK_SECRET.replace("v1,", ""));
const detector = createDetector({ resolver: createDnsResolver() });

/** Returns why the address is rejected; undefined if it is accepted. Users who sign up by telephone have no address. */
async function rejectionReason(email) {
  if (!email) return undefined;
  const detection = await detector.detect(email, { explain: true });
  if (!detection.syntax_validation) return "this is not an email address";
  if (["hidden", "machine"].includes(detection.explain.domain_kind)) return "this domain accepts no mail";
  return detection.disposable ? "please give an address that you will keep" : undefined;
}

createServer(async (request, response) => {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  let event;
  try {
    event = webhook.verify(Buffer.concat(chunks).toString(), request.headers);
  } catch {
    return response.writeHead(401).end();
  }
  const message = await rejectionReason(event.user.email);
  // A rejection has status 200 too, because Supabase reads the message only then.
  const result = message === undefined ? {} : { error: { http_code: 422, message } };
  response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(result));
}).listen(Number(PORT), "127.0.0.1");
