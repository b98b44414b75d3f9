// A sign-up route for Express. Its decision is allow, fix, ask or hold; a mailbox may have one account.
// Use: npm install express addrsift && node express.ts (Node 22.18+), then POST {"email":"…"} to 127.0.0.1:3000/signup

import { type Classified, createDetector, createDnsResolver, type Detection, type Explained } from "addrsift";
import express, { type ErrorRequestHandler } from "express";

const detector = createDetector({ resolver: createDnsResolver() });
const accounts = new Map<string, string>();
const STATUSES = { allow: 201, fix: 422, ask: 422, hold: 202 };

/** fix: the address has a typo. ask: ask for another address. hold: review it first. allow: accept it. */
function decide({ classes, explain }: Classified<Explained<Detection>>, confirmed: boolean) {
  if (classes.includes("invalid") || (explain.suggestion !== undefined && !confirmed)) return "fix";
  // A failed lookup, such as a timeout, is the class unknown. It says nothing about the address.
  const isUnread = classes.includes("no_mail") || classes.includes("hidden") || explain.domain_kind === "machine";
  if (isUnread || classes.includes("disposable")) return "ask";
  return classes.includes("role") ? "hold" : "allow";
}

export const app = express();
app.use(express.json());
app.post("/signup", async (request, response) => {
  const { email, confirmed } = (request.body ?? {}) as { email?: unknown; confirmed?: unknown };
  if (typeof email !== "string") return void response.status(400).json({ error: "email is missing" });
  const detection = await detector.detect(email.trim(), { classes: true, explain: true });
  // If the user confirms the address in spite of the suggestion, the form sends it again with {"confirmed":true}.
  const decision = decide(detection, confirmed === true);
  // jane.doe+x@gmail.com and janedoe@gmail.com are one mailbox. Send mail to the address as it was typed.
  const { normalized = "", explain } = detection;
  if (accounts.has(normalized)) return void response.status(409).json({ error: "this mailbox already has an account" });
  if (decision === "allow" || decision === "hold") accounts.set(normalized, email.trim());
  const suggestion = decision === "allow" ? undefined : explain.suggestion;
  response.status(STATUSES[decision]).json({ decision, suggestion });
});
// Without this, the response to malformed JSON is an HTML page with a stack trace.
const onError: ErrorRequestHandler = (error, _request, response, next) =>
  error.status < 500 ? void response.status(error.status).json({ error: error.message }) : next(error);
app.use(onError);
if (process.argv[1] === import.meta.filename) app.listen(3000, "127.0.0.1");
