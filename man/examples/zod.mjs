// A Zod schema for an address at sign-up: well-formed, and not of a throw-away service. It needs no await.
// Use: npm install zod addrsift, then import { Email } from "./zod.mjs" and z.object({ email: Email }).parse(body)

import { createDetector } from "addrsift";
import { z } from "zod";

const detector = createDetector();

export const Email = z
  .string()
  .trim()
  .superRefine((address, context) => {
    const [found] = detector.detectMany([address], { explain: true });
    const refuse = (message) => context.addIssue({ code: "custom", message });
    if (!found.syntax_validation) refuse(found.explain.syntax_error.message);
    else if (found.disposable) refuse("please give an address that you will keep");
  });
