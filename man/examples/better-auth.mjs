// Better Auth's hooks before a user is created and before its address changes: they refuse throw-away addresses and a
// second account of one mailbox, however one signs up.
// Use: npm install better-auth addrsift, then betterAuth({ databaseHooks: screening, ... })

import { createDetector, createDnsResolver } from "addrsift";
import { APIError } from "better-auth/api";

const detector = createDetector({ resolver: createDnsResolver() });
// In your program: a column of the user with a unique index. Here: mailboxes and the ids of their users.
const owners = new Map();

async function check({ email }, userId) {
  const refuse = (message) => {
    throw new APIError("UNPROCESSABLE_ENTITY", { message });
  };
  const found = await detector.detect(email);
  if (!found.syntax_validation) refuse("this is not an email address");
  if (found.disposable) refuse("please give an address that you will keep");
  if ((owners.get(found.normalized) ?? userId) !== userId) refuse("this mailbox has an account");
}

async function keep({ id, email }) {
  for (const [mailbox, owner] of owners) if (owner === id) owners.delete(mailbox);
  owners.set((await detector.detect(email)).normalized, id);
}

export const screening = {
  user: {
    create: { before: (user) => check(user), after: keep },
    update: {
      before: async (changes, context) => {
        if (changes.email !== undefined) await check(changes, context?.context.session?.user.id);
      },
      after: keep,
    },
  },
};
