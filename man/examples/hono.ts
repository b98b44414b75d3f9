// A sign-up route for Hono, in Node, Bun or Deno: rejects malformed and disposable addresses, and domains that accept no
// mail, and shows a suggestion.
// Use: npm install hono addrsift, and serve the default export. In a Worker, open the lists as worker.mjs does.

import { createDetector, createDnsResolver } from "addrsift";
import { Hono } from "hono";

const detector = createDetector({ resolver: createDnsResolver() });
// By DNS or by the kind of the domain. Other failures of DNS, such as a timeout, say nothing about the address.
const NO_MAIL = new Set<string | undefined>(["nxdomain", "no_mail", "null_mx", "hidden", "machine"]);

const app = new Hono();
app.post("/signup", async (context) => {
  const { email } = (await context.req.json<{ email?: unknown } | null>().catch(() => null)) ?? {};
  if (typeof email !== "string") return context.json({ error: "email is missing" }, 400);
  const detection = await detector.detect(email.trim(), { explain: true });
  const { suggestion, dns, domain_kind } = detection.explain;
  if (!detection.syntax_validation) return context.json({ error: "this is not an email address", suggestion }, 422);
  if (detection.disposable) return context.json({ error: "please give an address that you will keep" }, 422);
  if (NO_MAIL.has(dns?.status) || NO_MAIL.has(domain_kind))
    return context.json({ error: "this domain accepts no mail", suggestion }, 422);
  // A relay such as Hide My Email hides a real mailbox: it is welcome, like public, work and academic addresses.
  return context.json({ email: email.trim(), mailbox: detection.normalized, suggestion }, 201);
});

export default app;
