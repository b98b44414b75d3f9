// Better Auth's hook before a user is created: refuses throw-away addresses and a second account of one mailbox, however one signs up.
// Use: npm install better-auth addrsift, then betterAuth({ databaseHooks: screening, ... })

import { createDetector, createDnsResolver } from "addrsift";
import { APIError } from "better-auth/api";

const detector = createDetector({ resolver: createDnsResolver() });
// In your program: a column of the user with a unique index.
const mailboxes = new Set();

const refuse = (message) => {
  throw new APIError("UNPROCESSABLE_ENTITY", { message });
};

export const screening = {
  user: {
    create: {
      before: async (user) => {
        const found = await detector.detect(user.email);
        if (!found.syntax_validation) refuse("this is not an e-mail address");
        if (found.disposable) refuse("please give an address that you will keep");
        if (mailboxes.has(found.normalized)) refuse("this mailbox has an account");
        return { data: user };
      },
      after: async (user) => {
        mailboxes.add((await detector.detect(user.email)).normalized);
      },
    },
  },
};
