// A sign-up route for Hono, in Node, Bun or Deno. It rejects malformed and disposable addresses and domains that accept no
// mail, and asks the user to confirm or correct an address that is probably mistyped.
// Use: npm install hono addrsift, and serve the default export. In a Worker, load the lists as in worker.mjs.

import { createDetector, createDnsResolver } from "addrsift";
import { Hono } from "hono";

const detector = createDetector({ resolver: createDnsResolver() });

const app = new Hono();
app.post("/signup", async (context) => {
  const body = await context.req.json<{ email?: unknown; confirmed?: unknown } | null>().catch(() => null);
  const { email, confirmed } = body ?? {};
  if (typeof email !== "string") return context.json({ error: "email is missing" }, 400);
  const detection = await detector.detect(email.trim(), { classes: true, explain: true });
  const { suggestion, domain_kind } = detection.explain;
  if (!detection.syntax_validation) return context.json({ error: "this is not an email address", suggestion }, 422);
  if (detection.disposable) return context.json({ error: "please give an address that you will keep" }, 422);
  // A failed lookup, such as a timeout, is the class unknown. It says nothing about the address.
  if (detection.classes.includes("no_mail") || detection.classes.includes("hidden") || domain_kind === "machine")
    return context.json({ error: "this domain accepts no mail", suggestion }, 422);
  // If the user confirms the address in spite of the suggestion, the form sends it again with {"confirmed":true}.
  if (suggestion !== undefined && confirmed !== true)
    return context.json({ error: `did you mean ${suggestion}?`, suggestion }, 422);
  // Relays such as Hide My Email forward to a real mailbox, so they are accepted, like public addresses.
  return context.json({ email: email.trim(), mailbox: detection.normalized }, 201);
});

export default app;
