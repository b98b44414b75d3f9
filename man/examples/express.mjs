// A sign-up route for Express: refuses malformed and throw-away addresses, asks back when an address looks mistyped,
// and allows one account for each mailbox.
// Use: npm install express addrsift && node express.mjs, then POST {"email":"jane@example.org"} to
// http://127.0.0.1:3000/signup

import { createDetector, createDnsResolver } from "addrsift";
import express from "express";

// Without a resolver no packet is sent, and only the lists decide.
const detector = createDetector({ resolver: createDnsResolver() });
const accounts = new Map();

export const app = express();
app.use(express.json());
app.post("/signup", async (request, response) => {
  const { email, confirmed = false } = request.body ?? {};
  const refuse = (status, error, suggestion) => response.status(status).json({ error, suggestion });
  if (typeof email !== "string") return refuse(400, "email is missing");
  const { syntax_validation, disposable, normalized, explain } = await detector.detect(email.trim(), { explain: true });
  const { suggestion } = explain;
  if (!syntax_validation) return refuse(422, "this is not an email address", suggestion);
  if (disposable) return refuse(422, "please give an address that you will keep");
  // The person may really be at gmial.com: then the form sends the address again, with {"confirmed":true}.
  if (suggestion !== undefined && !confirmed) return refuse(422, "is this address right?", suggestion);
  // jane.doe+x@gmail.com and janedoe@gmail.com are one mailbox. Mail goes to the address as it was typed.
  if (accounts.has(normalized)) return refuse(409, "this mailbox has an account");
  accounts.set(normalized, { email: email.trim() });
  return response.status(201).json({ email: email.trim() });
});

if (process.argv[1] === import.meta.filename) app.listen(3000, "127.0.0.1");
