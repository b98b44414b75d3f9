// A sign-up route for Next.js: refuses malformed and throw-away addresses, with what was probably meant.
// Use: npm install addrsift, and copy to app/signup/route.js. In the edge runtime, which has no files, replace the
// detector by
//   const lists = await fetch(new URL("addrsift/lists.bin", import.meta.url));
//   const detector = createDetector({ lists: new Uint8Array(await lists.arrayBuffer()) });
// (the smaller lists are gzip, which that runtime can't unpack), remove createDnsResolver, and export const runtime =
// "edge".

import { createDetector, createDnsResolver } from "addrsift";

const detector = createDetector({ resolver: createDnsResolver() });

export async function POST(request) {
  const { email } = await request.json().catch(() => ({}));
  if (typeof email !== "string") return Response.json({ error: "email is missing" }, { status: 400 });
  const { syntax_validation, disposable, normalized, explain } = await detector.detect(email.trim(), { explain: true });
  const { suggestion } = explain;
  if (!syntax_validation) return Response.json({ error: "this is not an email address", suggestion }, { status: 422 });
  if (disposable) return Response.json({ error: "please give an address that you will keep" }, { status: 422 });
  return Response.json({ email: email.trim(), mailbox: normalized, suggestion }, { status: 201 });
}
