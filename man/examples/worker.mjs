// A Cloudflare Worker that says whether a sign-up may use an address: POST {"email":"jane@example.org"}.
// Use: npm install addrsift, and in wrangler.toml: main = "worker.mjs" and
//   rules = [{ type = "Data", globs = ["**/*.bin.gz"], fallthrough = true }]

import { createDetector } from "addrsift";
import packed from "addrsift/lists-counted.bin.gz";

let detector;

/** A Worker must not wait outside of a request, so the first request unpacks the lists. */
async function open() {
  const unpacked = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  return createDetector({ lists: new Uint8Array(await new Response(unpacked).arrayBuffer()) });
}

export default {
  async fetch(request) {
    const { email } = (await request.json().catch(() => null)) ?? {};
    if (typeof email !== "string") return Response.json({ error: "email is missing" }, { status: 400 });
    detector ??= await open();
    const [found] = detector.detectMany([email.trim()], { explain: true });
    if (!found.syntax_validation) return Response.json({ error: "this is not an email address" }, { status: 422 });
    if (found.disposable) return Response.json({ error: "please give an address that you will keep" }, { status: 422 });
    if (["hidden", "machine"].includes(found.explain.domain_kind))
      return Response.json({ error: "this domain accepts no mail" }, { status: 422 });
    return Response.json({ email: email.trim(), mailbox: found.normalized }, { status: 201 });
  },
};
