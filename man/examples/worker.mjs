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
    const { email, confirmed } = (await request.json().catch(() => null)) ?? {};
    if (typeof email !== "string") return Response.json({ error: "email is missing" }, { status: 400 });
    detector ??= await openDetector();
    const [detection] = detector.detectMany([email.trim()], { explain: true });
    const { suggestion, domain_kind } = detection.explain;
    const reject = (error) => Response.json({ error, suggestion }, { status: 422 });
    if (!detection.syntax_validation) return reject("this is not an email address");
    if (detection.disposable) return reject("please give an address that you will keep");
    if (["hidden", "machine"].includes(domain_kind)) return reject("this domain accepts no mail");
    // If the user confirms the address in spite of the suggestion, the form sends it again with {"confirmed":true}.
    if (suggestion !== undefined && confirmed !== true) return reject(`did you mean ${suggestion}?`);
    return Response.json({ email: email.trim(), mailbox: detection.normalized }, { status: 201 });
  },
};
