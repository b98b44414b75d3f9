// A Cloudflare Worker that checks the address of a sign-up: POST {"email":"jane@example.org"}.
// Use: npm install addrsift, and in wrangler.toml: main = "worker.mjs" and
//   rules = [{ type = "Data", globs = ["**/*.bin.gz"], fallthrough = true }]

import { createDetector } from "addrsift";
import compressedLists from "addrsift/lists-counted.bin.gz";

let detector;

/** The first request decompresses the lists, because a Worker must not wait outside of a request. */
async function openDetector() {
  const stream = new Blob([compressedLists]).stream().pipeThrough(new DecompressionStream("gzip"));
  return createDetector({ lists: new Uint8Array(await new Response(stream).arrayBuffer()) });
}

export default {
  async fetch(request) {
    const { email } = (await request.json().catch(() => null)) ?? {};
    if (typeof email !== "string") return Response.json({ error: "email is missing" }, { status: 400 });
    detector ??= await openDetector();
    const [detection] = detector.detectMany([email.trim()], { explain: true });
    if (!detection.syntax_validation) return Response.json({ error: "this is not an email address" }, { status: 422 });
    if (detection.disposable)
      return Response.json({ error: "please give an address that you will keep" }, { status: 422 });
    if (["hidden", "machine"].includes(detection.explain.domain_kind))
      return Response.json({ error: "this domain accepts no mail" }, { status: 422 });
    return Response.json({ email: email.trim(), mailbox: detection.normalized }, { status: 201 });
  },
};
