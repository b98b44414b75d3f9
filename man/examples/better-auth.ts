// Hooks for Better Auth, before a user is created or changes the address. They reject malformed and disposable addresses,
// domains that accept no mail, a second account for a mailbox, and a probably mistyped address, unless the user confirms
// it: authClient.signUp.email({ ... }, { headers: { "x-confirmed-email": email } }). `user` has it in lower case.
// Use: npm install better-auth addrsift, then betterAuth({ databaseHooks: screening, ... })

import { createDetector, createDnsResolver } from "addrsift";
import type { BetterAuthOptions, GenericEndpointContext } from "better-auth";
import { APIError } from "better-auth/api";

const detector = createDetector({ resolver: createDnsResolver() });
// User ids by mailbox. In your program, use a column of the user table with a unique index.
const owners = new Map<string, string>();

type User = { email?: string; emailVerified?: boolean };
async function check({ email, emailVerified }: User, context: GenericEndpointContext | null, userId?: string) {
  if (email === undefined) return;
  const { normalized = "", classes, explain } = await detector.detect(email, { classes: true, explain: true });
  const { suggestion, domain_kind } = explain;
  // A failed lookup, such as a timeout, is the class unknown. It says nothing about the address.
  const isUnread = classes.includes("no_mail") || classes.includes("hidden") || domain_kind === "machine";
  const reject = (message: string) => new APIError("UNPROCESSABLE_ENTITY", { message, suggestion });
  if (classes.includes("invalid")) throw reject("this is not an email address");
  if (classes.includes("disposable")) throw reject("please give an address that you will keep");
  if (isUnread) throw reject("this domain accepts no mail");
  const confirmed = emailVerified || context?.headers?.get("x-confirmed-email")?.toLowerCase() === email;
  if (suggestion !== undefined && !confirmed) throw reject(`did you mean ${suggestion}?`);
  if ((owners.get(normalized) ?? userId) !== userId) throw reject("this mailbox already has an account");
}

async function recordOwner({ id, email }: { id: string; email: string }): Promise<void> {
  for (const [mailbox, owner] of owners) if (owner === id) owners.delete(mailbox);
  owners.set((await detector.detect(email)).normalized ?? email, id);
}

export const screening = {
  user: {
    create: { before: (user, context) => check(user, context), after: recordOwner },
    update: { before: (user, context) => check(user, context, context?.context.session?.user.id), after: recordOwner },
  },
} satisfies BetterAuthOptions["databaseHooks"];
