// A hook that Supabase calls before it creates a user. It rejects malformed and disposable addresses, domains that accept
// no mail, and probably mistyped addresses, unless the user confirms one: options: { data: { confirmed: true } }.
// Use: npm install addrsift standardwebhooks, run HOOK_SECRET=v1,whsec_… PORT=9001 node supabase-hook.mjs behind a proxy
// for TLS, and enter its URL under Authentication, Hooks, "Before User Created". That page shows the secret.

import { createServer } from "node:http";
import { createDetector, createDnsResolver } from "addrsift";
import { Webhook } from "standardwebhooks";

const webhook = new Webhook(process.env.HOOK_SECRET.replace("v1,", ""));
const detector = createDetector({ resolver: createDnsResolver() });

/** Returns why a user is rejected, if so. Users who sign up by telephone have no address. */
async function rejectionReason({ email, user_metadata: metadata }) {
  if (!email) return undefined;
  const { classes, explain } = await detector.detect(email, { classes: true, explain: true });
  const { suggestion, domain_kind } = explain;
  const hint = suggestion === undefined ? "" : `; did you mean ${suggestion}?`;
  if (classes.includes("invalid")) return `this is not an email address${hint}`;
  if (classes.includes("disposable")) return "please give an address that you will keep";
  // A failed lookup, such as a timeout, is the class unknown. It says nothing about the address.
  if (classes.includes("no_mail") || classes.includes("hidden") || domain_kind === "machine")
    return `this domain accepts no mail${hint}`;
  if (suggestion !== undefined && metadata?.confirmed !== true) return `did you mean ${suggestion}?`;
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
  const message = await rejectionReason(event.user);
  // A rejection has status 200 too, because Supabase reads the message only then.
  const result = message === undefined ? {} : { error: { http_code: 422, message } };
  response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(result));
}).listen(Number(process.env.PORT ?? 9001), "127.0.0.1");
