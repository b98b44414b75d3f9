// A Zod schema for the email field of a sign-up: a well-formed address that is not disposable. It is synchronous and uses
// no DNS, so a domain whose DNS says that it accepts no mail passes. A probably mistyped address needs a correction, or
// email({ confirmed: true }). The check belongs to the field, so it also runs if you extend the object.
// Use: npm install zod addrsift, then import { email } from "./zod.ts" and
//   z.object({ name: z.string(), email: email({ confirmed: body.confirmed === true }) }).parse(body)

import { createDetector } from "addrsift";
import { z } from "zod";

const detector = createDetector();

export const email = ({ confirmed = false } = {}) =>
  z
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
      else if (suggestion !== undefined && !confirmed) reject(`did you mean ${suggestion}?`);
    });
