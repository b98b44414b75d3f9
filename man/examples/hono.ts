// A sign-up route for Hono, in Node, Bun or Deno. It rejects malformed and disposable addresses and domains that accept no
// mail, and asks the user to confirm or correct an address that is probably mistyped.
// Use: npm install hono addrsift, and serve the default export. In a Worker, load the lists as in worker.mjs.

import { createDetector, createDnsResolver, type DomainKind, type RoutingStatus } from "addrsift";
import { Hono } from "hono";

const detector = createDetector({ resolver: createDnsResolver() });
// Values of dns.status and domain_kind. A failed lookup, such as a timeout, says nothing about the address.
const UNREAD = new Set<DomainKind | RoutingStatus | undefined>(["nxdomain", "no_mail", "null_mx", "hidden", "machine"]);

const app = new Hono();
app.post("/signup", async (context) => {
  const body = await context.req.json<{ email?: unknown; confirmed?: unknown } | null>().catch(() => null);
  const { email, confirmed } = body ?? {};
  if (typeof email !== "string") return context.json({ error: "email is missing" }, 400);
  const detection = await detector.detect(email.trim(), { explain: true });
  const { suggestion, dns, domain_kind } = detection.explain;
  if (!detection.syntax_validation) return context.json({ error: "this is not an email address", suggestion }, 422);
  if (detection.disposable) return context.json({ error: "please give an address that you will keep" }, 422);
  if (UNREAD.has(dns?.status) || UNREAD.has(domain_kind))
    return context.json({ error: "this domain accepts no mail", suggestion }, 422);
  // If the user confirms the address in spite of the suggestion, the form sends it again with {"confirmed":true}.
  if (suggestion !== undefined && confirmed !== true)
    return context.json({ error: `did you mean ${suggestion}?`, suggestion }, 422);
  // Relays such as Hide My Email forward to a real mailbox, so they are accepted, like public addresses.
  return context.json({ email: email.trim(), mailbox: detection.normalized }, 201);
});

export default app;
