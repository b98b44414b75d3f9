// A sign-up route for Hono, in Node, Bun or Deno: refuses malformed and throw-away addresses.
// Use: npm install hono addrsift, and serve the default export. In a Worker open the lists as worker.mjs does.

import { createDetector } from "addrsift";
import { Hono } from "hono";

const detector = createDetector();

const app = new Hono();
app.post("/signup", async (context) => {
  const { email } = await context.req.json().catch(() => ({}));
  if (typeof email !== "string") return context.json({ error: "email is missing" }, 400);
  const found = await detector.detect(email.trim());
  if (!found.syntax_validation) return context.json({ error: "this is not an email address" }, 422);
  if (found.disposable) return context.json({ error: "please give an address that you will keep" }, 422);
  // A relay such as Hide My Email hides a real mailbox: it is welcome.
  return context.json({ email: email.trim(), mailbox: found.normalized, relay: found.relay_domain }, 201);
});

export default app;
