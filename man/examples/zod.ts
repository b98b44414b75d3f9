// A Zod schema for the address of a sign-up: well-formed and not disposable. It is synchronous and uses no DNS, so a
// domain whose DNS says that it accepts no mail passes.
// Use: npm install zod addrsift, then import { Email } from "./zod.ts" and z.object({ email: Email }).parse(body)

import { createDetector } from "addrsift";
import { z } from "zod";

const detector = createDetector();

export const Email = z
  .string()
  .trim()
  .superRefine((address, context) => {
    const [detection] = detector.detectMany([address], { explain: true });
    const reject = (message: string) => context.addIssue({ code: "custom", message });
    const { syntax_error: fault, suggestion, domain_kind: kind } = detection?.explain ?? {};
    const hint = suggestion === undefined ? "" : `; did you mean ${suggestion}?`;
    if (fault !== undefined) reject(`${fault.message}${hint}`);
    else if (detection?.disposable) reject("please give an address that you will keep");
    else if (kind === "hidden" || kind === "machine") reject("this domain accepts no mail");
  });
