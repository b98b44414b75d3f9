// A sign-up route for Next.js. It rejects malformed and disposable addresses and domains that accept no mail, and asks
// the user to confirm or correct an address that is probably mistyped.
// Use: npm install addrsift, copy to app/signup/route.ts, and set serverExternalPackages: ["addrsift"] in next.config, since
// webpack moves the lists to a path that the server can't read. In the edge runtime, which has no files, replace the
// detector with
//   const lists = await fetch(new URL("addrsift/lists.bin", import.meta.url));
//   const detector = createDetector({ lists: new Uint8Array(await lists.arrayBuffer()) });
// remove createDnsResolver, and add: export const runtime = "edge". That runtime can't decompress the smaller lists.

import { createDetector, createDnsResolver } from "addrsift";

const detector = createDetector({ resolver: createDnsResolver() });

export async function POST(request: Request): Promise<Response> {
  const body = (await request.json().catch(() => null)) as { email?: unknown; confirmed?: unknown } | null;
  const { email, confirmed } = body ?? {};
  const reject = (error: string, suggestion?: string, status = 422) => Response.json({ error, suggestion }, { status });
  if (typeof email !== "string") return reject("email is missing", undefined, 400);
  const options = { classes: true, explain: true } as const;
  const { normalized, classes, explain } = await detector.detect(email.trim(), options);
  const { suggestion, domain_kind } = explain;
  // A failed lookup, such as a timeout, is the class unknown. It says nothing about the address.
  const isUnread = classes.includes("no_mail") || classes.includes("hidden") || domain_kind === "machine";
  if (classes.includes("invalid")) return reject("this is not an email address", suggestion);
  if (classes.includes("disposable")) return reject("please give an address that you will keep");
  if (isUnread) return reject("this domain accepts no mail", suggestion);
  // If the user confirms the address in spite of the suggestion, the form sends it again with {"confirmed":true}.
  if (suggestion !== undefined && confirmed !== true) return reject(`did you mean ${suggestion}?`, suggestion);
  return Response.json({ email: email.trim(), mailbox: normalized }, { status: 201 });
}
