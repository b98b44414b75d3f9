// Examples of the library and the daemon in frameworks, each run in the real one. The frameworks come into a folder of their own:
//   npm ci --ignore-scripts --prefix test/frameworks

import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { hasChromium, startBrowser } from "../helpers/browser.ts";
import { ROOT } from "../helpers/classify.ts";
import { startDaemon } from "../helpers/daemon.ts";
import { runProgram, scratch } from "../helpers/run.ts";
import { NO_NAME_SERVER } from "../helpers/run-input.ts";

const PACKAGES = join(ROOT, "test/frameworks/node_modules");
const folder = scratch();
const example = (name: string): string => readFileSync(join(ROOT, "man/examples", name), "utf8");
afterAll(() => folder.remove());

beforeAll(() => {
  const modules = join(folder.path, "node_modules");
  mkdirSync(join(folder.path, "node_modules"));
  symlinkSync(ROOT, join(modules, "addrsift"));
  for (const name of ["express", "hono", "zod", "better-auth"]) symlinkSync(join(PACKAGES, name), join(modules, name));
  for (const name of ["express", "hono", "zod", "better-auth"]) {
    // The name server of the test: none.
    const code = example(`${name}.mjs`).replaceAll(
      "createDnsResolver()",
      `createDnsResolver({ servers: ["${NO_NAME_SERVER}"] })`,
    );
    writeFileSync(join(folder.path, `${name}.mjs`), code);
  }
});

/** Requests to a sign-up route, and their statuses. */
const SIGN_UPS: readonly (readonly [email: unknown, status: number])[] = [
  ["jane.doe+news@gmail.com", 201],
  ["joe@mailinator.com", 422],
  ["jane@@example.org", 422],
  ["x@privaterelay.appleid.com", 201],
  [7, 400],
];

/** Programs over the examples that print one JSON value, and what it must be. */
const PROGRAMS = {
  express: {
    program: `import { app } from "./express.mjs";
      const server = app.listen(0, "127.0.0.1", async () => {
        const url = "http://127.0.0.1:" + server.address().port + "/signup";
        const found = [];
        for (const email of [...EMAILS, "janedoe@gmail.com"]) {
          const headers = { "content-type": "application/json" };
          found.push((await fetch(url, { method: "POST", headers, body: JSON.stringify({ email }) })).status);
        }
        console.log(JSON.stringify(found));
        server.close();
      });`,
    wanted: [...SIGN_UPS.map(([, status]) => status), 409],
  },
  hono: {
    program: `import app from "./hono.mjs";
      const found = [];
      for (const email of EMAILS) {
        const headers = { "content-type": "application/json" };
        found.push((await app.request("/signup", { method: "POST", headers, body: JSON.stringify({ email }) })).status);
      }
      console.log(JSON.stringify(found));`,
    wanted: SIGN_UPS.map(([, status]) => status),
  },
  zod: {
    program: `import { z } from "zod"; import { Email } from "./zod.mjs";
      const schema = z.object({ email: Email });
      console.log(JSON.stringify(EMAILS.map((email) => schema.safeParse({ email }).success)));`,
    wanted: SIGN_UPS.map(([, status]) => status === 201),
  },
  "better-auth": {
    program: `import { betterAuth } from "better-auth"; import { memoryAdapter } from "better-auth/adapters/memory";
      import { screening } from "./better-auth.mjs";
      const database = memoryAdapter({ user: [], session: [], account: [], verification: [] });
      const secret = "0123456789abcdef0123456789abcdef-only-for-a-test";
      const baseURL = "http://127.0.0.1:3000";
      const auth = betterAuth({ database, secret, baseURL, emailAndPassword: { enabled: true }, databaseHooks: screening });
      const found = [];
      for (const email of ["jane.doe+news@gmail.com", "joe@mailinator.com", "janedoe@gmail.com"]) {
        const body = { email, name: "Jane", password: "correct horse battery" };
        found.push(await auth.api.signUpEmail({ body }).then(() => "ok", (error) => error.message));
      }
      console.log(JSON.stringify(found));`,
    wanted: ["ok", "please give an address that you will keep", "this mailbox has an account"],
  },
};

describe("examples in frameworks", () => {
  for (const [name, { program, wanted }] of Object.entries(PROGRAMS)) {
    it.skipIf(!existsSync(join(PACKAGES, name)))(`${name}.mjs does what it says (needs ${name})`, async () => {
      const emails = JSON.stringify(SIGN_UPS.map(([email]) => email));
      const path = folder.file(`run-${name}.mjs`, program.replaceAll("EMAILS", emails));
      const { status, stdout, stderr } = await runProgram(process.execPath, [path], { cwd: folder.path });
      expect({ status, stderr: status === 0 ? "" : stderr.toString() }).toEqual({ status: 0, stderr: "" });
      expect(JSON.parse(stdout.toString().trim().split("\n").at(-1) as string)).toEqual(wanted);
    });
  }

  it.skipIf(!hasChromium)(
    "signup-form.html helps while one types, and lets pass what the daemon can't judge (needs Chromium)",
    async () => {
      const site = createServer((_, response) => response.setHeader("content-type", "text/html").end(page));
      await new Promise<void>((resolve) => site.listen(0, "127.0.0.1", resolve));
      const origin = `http://127.0.0.1:${(site.address() as AddressInfo).port}`;
      const daemon = await startDaemon(["--dns", "off", "--log-level", "warn", "--cors-origin", origin]);
      const page = example("signup-form.html").replace("http://127.0.0.1:8025", daemon.url);
      const browser = await startBrowser();
      try {
        const tab = await browser.newPage();
        await tab.goto(origin);
        const type = async (text: string): Promise<void> => {
          await tab.getByLabel("E-mail").fill(text);
          await tab.getByLabel("E-mail").blur();
        };
        const hint = (): Promise<string> => tab.getByRole("status").innerText();
        const isValid = (): Promise<unknown> => tab.evaluate("document.querySelector('form').checkValidity()");
        for (const [email, said, valid] of [
          ["joe@mailinator.com", "Please give an address that you will keep.", false],
          ["jane@gmial.com", "Did you mean jane@gmail.com?", true],
          ["jane@example.invalidtld", "This is not an e-mail address.", false],
          ["jane@gmail.com", "", true],
        ] as const) {
          await type(email);
          await expect.poll(hint).toBe(said);
          expect([email, await isValid()]).toEqual([email, valid]);
        }
        await daemon.stop();
        await type("joe@mailinator.com");
        expect(await isValid()).toBe(true);
      } finally {
        await browser.close();
        await daemon.stop();
        site.close();
      }
    },
  );

  it.each(["express.mjs", "hono.mjs", "zod.mjs", "better-auth.mjs", "signup-form.html"])(
    "%s has at most 40 lines",
    (name) => {
      expect(example(name).trimEnd().split("\n").length).toBeLessThanOrEqual(40);
    },
  );
});
