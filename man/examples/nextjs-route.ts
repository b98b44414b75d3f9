// A sign-up route for Next.js. It rejects malformed and disposable addresses and domains that accept no mail, and asks
// the user to confirm or correct an address that is probably mistyped.
// Use: npm install addrsift, and copy to app/signup/route.ts. In the edge runtime, which has no files, replace the
// detector with
//   const lists = await fetch(new URL("addrsift/lists.bin", import.meta.url));
//   const detector = createDetector({ lists: new Uint8Array(await lists.arrayBuffer()) });
// remove createDnsResolver, and add: export const runtime = "edge". That runtime can't decompress the smaller lists.

import { createDetector, createDnsResolver, type DomainKind, type RoutingStatus } from "addrsift";

const detector = createDetector({ resolver: createDnsResolver() });
// Values of dns.status and domain_kind. A failed lookup, such as a timeout, says nothing about the address.
const UNREAD = new Set<DomainKind | RoutingStatus | undefined>(["nxdomain", "no_mail", "null_mx", "hidden", "machine"]);

export async function POST(request: Request): Promise<Response> {
  const body = (await request.json().catch(() => null)) as { email?: unknown; confirmed?: unknown } | null;
  const { email, confirmed } = body ?? {};
  const reject = (error: string, suggestion?: string, status = 422) => Response.json({ error, suggestion }, { status });
  if (typeof email !== "string") return reject("email is missing", undefined, 400);
  const { syntax_validation, disposable, normalized, explain } = await detector.detect(email.trim(), { explain: true });
  const { suggestion, dns, domain_kind } = explain;
  if (!syntax_validation) return reject("this is not an email address", suggestion);
  if (disposable) return reject("please give an address that you will keep");
  if (UNREAD.has(dns?.status) || UNREAD.has(domain_kind)) return reject("this domain accepts no mail", suggestion);
  // If the user confirms the address in spite of the suggestion, the form sends it again with {"confirmed":true}.
  if (suggestion !== undefined && confirmed !== true) return reject(`did you mean ${suggestion}?`, suggestion);
  return Response.json({ email: email.trim(), mailbox: normalized }, { status: 201 });
}
