// Hooks for Better Auth, before a user is created or changes the address. Whatever the sign-up method, they reject
// malformed and disposable addresses, domains that accept no mail, and a second account for a mailbox.
// Use: npm install better-auth addrsift, then betterAuth({ databaseHooks: screening, ... })

import { createDetector, createDnsResolver } from "addrsift";
import type { BetterAuthOptions } from "better-auth";
import { APIError } from "better-auth/api";

const detector = createDetector({ resolver: createDnsResolver() });
// User ids by mailbox. In your program, use a column of the user table with a unique index.
const owners = new Map<string, string>();
// Values of dns.status and domain_kind. A failed lookup, such as a timeout, says nothing about the address.
const NO_MAIL = new Set<string | undefined>(["nxdomain", "no_mail", "null_mx", "hidden", "machine"]);

async function check(email: string, userId?: string): Promise<void> {
  const { syntax_validation, disposable, normalized = "", explain } = await detector.detect(email, { explain: true });
  const reject = (message: string) => new APIError("UNPROCESSABLE_ENTITY", { message });
  const hint = explain.suggestion === undefined ? "" : `; did you mean ${explain.suggestion}?`;
  if (!syntax_validation) throw reject(`this is not an email address${hint}`);
  if (disposable) throw reject("please give an address that you will keep");
  if ([explain.dns?.status, explain.domain_kind].some((each) => NO_MAIL.has(each)))
    throw reject(`this domain accepts no mail${hint}`);
  if ((owners.get(normalized) ?? userId) !== userId) throw reject("this mailbox already has an account");
}

async function recordOwner({ id, email }: { id: string; email: string }): Promise<void> {
  for (const [mailbox, owner] of owners) if (owner === id) owners.delete(mailbox);
  owners.set((await detector.detect(email)).normalized ?? email, id);
}

export const screening = {
  user: {
    create: { before: (user) => check(user.email), after: recordOwner },
    update: {
      before: async ({ email }, context) =>
        email === undefined ? undefined : check(email, context?.context.session?.user.id),
      after: recordOwner,
    },
  },
} satisfies BetterAuthOptions["databaseHooks"];
