// A Zod schema for a sign-up: a well-formed address that is not disposable. It is synchronous and uses no DNS, so a domain
// whose DNS says that it accepts no mail passes. A probably mistyped address needs a correction, or confirmed: true.
// Use: npm install zod addrsift, then import { SignUp } from "./zod.ts" and SignUp.extend({ ... }).parse(body)

import { createDetector } from "addrsift";
import { z } from "zod";

const detector = createDetector();

export const SignUp = z
  .object({ email: z.string().trim(), confirmed: z.boolean().default(false) })
  .superRefine(({ email, confirmed }, context) => {
    const [detection] = detector.detectMany([email], { explain: true });
    const reject = (message: string) => context.addIssue({ code: "custom", path: ["email"], message });
    const { syntax_error: fault, suggestion, domain_kind: kind } = detection?.explain ?? {};
    const hint = suggestion === undefined ? "" : `; did you mean ${suggestion}?`;
    if (fault !== undefined) reject(`${fault.message}${hint}`);
    else if (detection?.disposable) reject("please give an address that you will keep");
    else if (kind === "hidden" || kind === "machine") reject("this domain accepts no mail");
    else if (suggestion !== undefined && !confirmed) reject(`did you mean ${suggestion}?`);
  });
