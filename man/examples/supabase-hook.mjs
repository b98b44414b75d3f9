// Supabase's hook before a user is created: refuses malformed and throw-away addresses, however one signs up.
// Use: npm install addrsift standardwebhooks, run HOOK_SECRET=v1,whsec_… PORT=9001 node supabase-hook.mjs behind a
// proxy that ends TLS, and give its URL under Authentication, Hooks, "Before User Created". That page shows the secret.

import { createServer } from "node:http";
import { createDetector, createDnsResolver } from "addrsift";
import { Webhook } from "standardwebhooks";

const { HOOK_SECRET, PORT = "9001" } = process.env;
const webhook = new Webhook(HOOK_SECRET.replace("v1,", ""));
const detector = createDetector({ resolver: createDnsResolver() });

/**
 * Why there will be no user of this address; undefined when there may be one. Users with a telephone number may have
 * none.
 */
async function refusal(email) {
  if (!email) return undefined;
  const found = await detector.detect(email, { explain: true });
  if (!found.syntax_validation) return "this is not an email address";
  if (["hidden", "machine"].includes(found.explain.domain_kind)) return "this domain accepts no mail";
  return found.disposable ? "please give an address that you will keep" : undefined;
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
  const message = await refusal(event.user.email);
  // A refusal has status 200 too: of other answers Supabase does not read the message.
  const answer = message === undefined ? {} : { error: { http_code: 422, message } };
  response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(answer));
}).listen(Number(PORT), "127.0.0.1");
