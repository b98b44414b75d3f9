// A sign-up route for Express: refuses malformed and throw-away addresses, and allows one account for each mailbox.
// Use: npm install express addrsift && node express.mjs, then POST {"email":"jane@example.org"} to http://127.0.0.1:3000/signup

import { createDetector, createDnsResolver } from "addrsift";
import express from "express";

// Without a resolver no packet is sent, and only the lists decide.
const detector = createDetector({ resolver: createDnsResolver() });
const accounts = new Map();

export const app = express();
app.use(express.json());
app.post("/signup", async (request, response) => {
  const email = request.body?.email;
  if (typeof email !== "string") return response.status(400).json({ error: "email is missing" });
  const { syntax_validation, disposable, normalized, explain } = await detector.detect(email.trim(), { explain: true });
  if (!syntax_validation) {
    const hint = explain.suggestion === undefined ? "" : `: did you mean ${explain.suggestion}?`;
    return response.status(422).json({ error: `this is not an e-mail address${hint}` });
  }
  if (disposable) return response.status(422).json({ error: "please give an address that you will keep" });
  // jane.doe+x@gmail.com and janedoe@gmail.com are one mailbox. Mail goes to the address as it was typed.
  if (accounts.has(normalized)) return response.status(409).json({ error: "this mailbox has an account" });
  accounts.set(normalized, { email: email.trim() });
  return response.status(201).json({ email: email.trim() });
});

if (process.argv[1] === import.meta.filename) app.listen(3000, "127.0.0.1");
