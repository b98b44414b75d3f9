// Tests the examples for frameworks, each in the real one. `npm run test:frameworks` installs them in a separate
// folder.

import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { build } from "esbuild";
import { Webhook } from "standardwebhooks";
import ts from "typescript";
import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import { hasChromium, startBrowser } from "../helpers/browser.ts";
import { ROOT } from "../helpers/classify.ts";
import { startDaemon } from "../helpers/daemon.ts";
import { type NameServer, startNameServer } from "../helpers/name-server.ts";
import { runProgram, scratch } from "../helpers/run.ts";

const PACKAGES = join(ROOT, "test/frameworks/node_modules");
const folder = scratch();
const example = (name: string): string => readFileSync(join(ROOT, "man/examples", name), "utf8");
afterAll(async () => {
  folder.remove();
  await nameServer.stop();
});

const SERVFAIL = 2;
const NXDOMAIN = 3;

const FRAMEWORKS = ["express", "hono", "zod", "zod-4.0", "better-auth", "next", "react", "react-dom"];
const TYPED = ["express", "hono", "nextjs-route", "zod", "better-auth"];

let nameServer: NameServer;
/** An example's text, with the name server of the test. */
const withTestDns = (name: string): string =>
  example(name).replaceAll(
    "createDnsResolver()",
    `createDnsResolver({ servers: ["${nameServer.address}"], timeoutMs: 500 })`,
  );

beforeAll(async () => {
  nameServer = await startNameServer(({ name }) => {
    if (name.startsWith("gone")) return { rcode: NXDOMAIN };
    if (name.startsWith("empty")) return {};
    if (name.startsWith("null")) return { mx: [[0, ""]] };
    return name.startsWith("slow") ? undefined : { rcode: SERVFAIL };
  });
  const modules = join(folder.path, "node_modules");
  mkdirSync(modules);
  symlinkSync(ROOT, join(modules, "addrsift"));
  symlinkSync(join(ROOT, "node_modules/standardwebhooks"), join(modules, "standardwebhooks"));
  for (const name of ["@types", ...FRAMEWORKS]) symlinkSync(join(PACKAGES, name), join(modules, name));
  for (const name of TYPED) writeFileSync(join(folder.path, `${name}.mjs`), compile(withTestDns(`${name}.ts`)));
  folder.file("zod-4.0.mjs", compile(example("zod.ts")).replace('from "zod"', 'from "zod-4.0"'));
  writeFileSync(join(folder.path, "supabase-hook.mjs"), withTestDns("supabase-hook.mjs"));
});

/** Removes types, which Node strips by itself from 22.18 on. */
function compile(text: string): string {
  return ts.transpileModule(text, { compilerOptions: { target: ts.ScriptTarget.ES2023, module: ts.ModuleKind.ESNext } })
    .outputText;
}

/** Addresses whose domains accept no mail according to DNS: nxdomain, no_mail, null_mx. */
const NO_MAIL = ["x@gone-harbour.com", "x@empty-harbour.com", "x@null-harbour.com"];
/** Email addresses in requests to a sign-up route, and the expected statuses. */
const SIGN_UPS: readonly (readonly [email: unknown, status: number])[] = [
  ["jane.doe+news@gmail.com", 201],
  ["joe@mailinator.com", 422],
  ["jane@@example.org", 422],
  ["x@privaterelay.appleid.com", 201],
  [7, 400],
  ...NO_MAIL.map((email) => [email, 422] as const),
  // SERVFAIL and a timeout say nothing about the address.
  ["x@silent-harbour.com", 201],
  ["x@slow-harbour.com", 201],
  // Addresses of a forge and of a machine, where no person reads mail.
  ["1+jane@users.noreply.github.com", 422],
  ["x@project.iam.gserviceaccount.com", 422],
  ["x@gmial.com", 422],
];
const STATUSES = SIGN_UPS.map(([, status]) => status);
/** The statuses where there is no DNS. */
const STATUSES_WITHOUT_DNS = SIGN_UPS.map(([email, status]) => (NO_MAIL.includes(String(email)) ? 201 : status));
/** The suggestions in the responses. */
const SUGGESTIONS = ["jane@example.org", "x@gmail.com"];
/** A mistyped address that the user confirms. */
const CONFIRMED = { email: "x@gmial.com", confirmed: true };

const ZOD_RESULTS = [...STATUSES_WITHOUT_DNS.map((status) => status === 201), true];

/** Programs that use an example and print one JSON value, and the expected value. */
const PROGRAMS = {
  express: {
    program: `import { app } from "./express.mjs";
      const server = app.listen(0, "127.0.0.1", async () => {
        const url = "http://127.0.0.1:" + server.address().port + "/signup";
        const results = [];
        const suggestions = [];
        for (const body of [...EMAILS.map((email) => ({ email })), CONFIRMED, { email: "janedoe@gmail.com" }]) {
          const headers = { "content-type": "application/json" };
          const response = await fetch(url, { method: "POST", headers, body: JSON.stringify(body) });
          results.push(response.status);
          suggestions.push((await response.json()).suggestion);
        }
        for (const [type, body] of [["json", '{"email":'], ["json; charset=x-none", "{}"]]) {
          const headers = { "content-type": "application/" + type };
          const response = await fetch(url, { method: "POST", headers, body });
          results.push(response.status, typeof (await response.json()).error);
        }
        console.log(JSON.stringify([...results, ...suggestions.filter(Boolean)]));
        server.close();
      });`,
    expected: [...STATUSES, 201, 409, 400, "string", 415, "string", ...SUGGESTIONS],
  },
  hono: {
    program: `import app from "./hono.mjs";
      const results = [];
      const headers = { "content-type": "application/json" };
      const suggestions = [];
      for (const body of [...EMAILS.map((email) => ({ email })), CONFIRMED, null]) {
        const response = await app.request("/signup", { method: "POST", headers, body: JSON.stringify(body) });
        results.push(response.status);
        suggestions.push((await response.json()).suggestion);
      }
      console.log(JSON.stringify([...results, ...suggestions.filter(Boolean)]));`,
    expected: [...STATUSES, 201, 400, ...SUGGESTIONS],
  },
  zod: {
    program: `import * as newest from "zod"; import { email as newestEmail } from "./zod.mjs";
      import * as oldest from "zod-4.0"; import { email as oldestEmail } from "./zod-4.0.mjs";
      const bodies = [...EMAILS.map((email) => ({ email })), CONFIRMED].map((body) => ({ ...body, name: "Jane" }));
      // In early versions of Zod 4, extend() drops the checks of the object.
      const resultsOf = ({ z }, email) => bodies.map((body) => {
        const { confirmed } = body;
        const schema = z.object({ email: email({ confirmed }) }).extend({ name: z.string() });
        return schema.safeParse(body).success;
      });
      console.log(JSON.stringify([resultsOf(newest, newestEmail), resultsOf(oldest, oldestEmail)]));`,
    // Zod's check is synchronous, so it can't look up DNS.
    expected: [ZOD_RESULTS, ZOD_RESULTS],
  },
  "better-auth": {
    program: `import { betterAuth } from "better-auth"; import { memoryAdapter } from "better-auth/adapters/memory";
      import { screening } from "./better-auth.mjs";
      const database = memoryAdapter({ user: [], session: [], account: [], verification: [] });
      const secret = "0123456789abcdef0123456789abcdef-only-for-a-test";
      const baseURL = "http://127.0.0.1:3000";
      const user = { changeEmail: { enabled: true, updateEmailWithoutVerification: true } };
      const settings = { database, secret, baseURL, user, emailAndPassword: { enabled: true } };
      const auth = betterAuth({ ...settings, databaseHooks: screening });
      const outcomeOf = (act) => act.then(() => "ok", (error) => error.message);
      const results = [];
      const password = "correct horse battery";
      const emails = ["jane.doe+news@gmail.com", "joe@mailinator.com", "janedoe@gmail.com", "ann@gmail.com"];
      for (const email of [...emails, ...NO_MAIL, "1+jane@users.noreply.github.com", CONFIRMED.email])
        results.push(await outcomeOf(auth.api.signUpEmail({ body: { email, name: "Jane", password } })));
      const confirmed = { "x-confirmed-email": CONFIRMED.email };
      const mixedCase = { "x-confirmed-email": "Bob@gmial.com" };
      const bob = { email: "Bob@gmial.com", name: "Bob", password };
      results.push(await outcomeOf(auth.api.signUpEmail({ body: bob, headers: new Headers(mixedCase) })));
      for (const body of [{ ...CONFIRMED, name: "X", password }, { email: "x@slow-harbour.com", name: "X", password }])
        results.push(await outcomeOf(auth.api.signUpEmail({ body, headers: new Headers(confirmed) })));
      const body = { email: "jane.doe+news@gmail.com", password };
      const { headers: answer } = await auth.api.signInEmail({ body, returnHeaders: true });
      const headers = new Headers({ cookie: answer.getSetCookie().map((one) => one.split(";")[0]).join("; ") });
      for (const newEmail of ["joe2@mailinator.com", "a.n.n@gmail.com", "janedoe@gmail.com", "jd@gmail.com"])
        results.push(await outcomeOf(auth.api.changeEmail({ body: { newEmail }, headers })));
      const change = { body: { newEmail: "Jane@gmial.com" } };
      headers.set("x-confirmed-email", "Jane@gmial.com");
      results.push(await outcomeOf(auth.api.changeEmail({ ...change, headers })));
      // Her first mailbox is free again.
      results.push(await outcomeOf(auth.api.signUpEmail({ body: { email: "janedoe@gmail.com", name: "J", password } })));
      console.log(JSON.stringify(results));`,
    expected: [
      ...["ok", "please give an address that you will keep", "this mailbox already has an account", "ok"],
      ...[...NO_MAIL, "hidden"].map(() => "this domain accepts no mail"),
      ...["did you mean x@gmail.com?", "ok", "ok", "ok"],
      ...["please give an address that you will keep", "this mailbox already has an account", "ok", "ok", "ok", "ok"],
    ],
  },
};

/** Servers that a test starts. They are killed at its end. */
const servers: ChildProcess[] = [];
afterEach(() => {
  for (const child of servers.splice(0)) child.kill();
});

/** Starts a server, and returns what `pattern` captures from its outputs. */
async function start(program: string, args: readonly string[], pattern: RegExp, env = {}): Promise<string> {
  const child = spawn(program, args, {
    cwd: folder.path,
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  servers.push(child);
  let received = "";
  return new Promise((resolve, reject) => {
    for (const output of [child.stdout, child.stderr])
      output.on("data", (chunk) => {
        received += chunk;
        const match = pattern.exec(received)?.[1];
        if (match !== undefined) resolve(match);
      });
    child.on("exit", () => reject(new Error(received)));
  });
}

const post = (url: string, body: string, headers = {}): Promise<Response> =>
  fetch(url, { method: "POST", headers: { "content-type": "application/json", ...headers }, body });

/** Sends the sign-ups to a route, and returns the statuses. */
async function signUps(url: string): Promise<number[]> {
  const statuses: number[] = [];
  for (const [email] of SIGN_UPS) statuses.push((await post(url, JSON.stringify({ email }))).status);
  expect((await post(url, JSON.stringify(CONFIRMED))).status).toBe(201);
  expect((await post(url, "null")).status).toBe(400);
  return statuses;
}

const hasPackage = (name: string): boolean => existsSync(join(PACKAGES, name));

it.skipIf(!hasPackage("workerd"))("worker.mjs answers in workerd (needs workerd)", { timeout: 60_000 }, async () => {
  // The lists stay a separate module, as with wrangler and a rule of type Data.
  await build({
    stdin: { contents: example("worker.mjs"), resolveDir: folder.path },
    outfile: join(folder.path, "worker.js"),
    bundle: true,
    format: "esm",
    conditions: ["workerd", "worker", "browser"],
    external: ["addrsift/lists-counted.bin.gz"],
  });
  const config = folder.file(
    "config.capnp",
    `using Workerd = import "/workerd/workerd.capnp";
    const config :Workerd.Config = (
      services = [(name = "main", worker = (compatibilityDate = "2026-04-26", modules = [
        (name = "worker.js", esModule = embed "worker.js"),
        (name = "addrsift/lists-counted.bin.gz", data = embed "node_modules/addrsift/dist/lists-counted.bin.gz"),
      ]))],
      sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")]);`,
  );
  const { default: workerd } = createRequire(import.meta.url)(join(PACKAGES, "workerd"));
  const port = await start(workerd, ["serve", "--control-fd=1", config], /"socket":"http","port":(\d+)/);
  expect(await signUps(`http://127.0.0.1:${port}/`)).toEqual(STATUSES_WITHOUT_DNS);
});

it.skipIf(!hasPackage("next"))(
  "nextjs-route.ts answers in Node and in the edge runtime (needs next)",
  { timeout: 180_000 },
  async () => {
    const code = withTestDns("nextjs-route.ts");
    const forEdge = Array.from(code.matchAll(/^\/\/ {3}(const .*)$/gm), ([, line]) => line).join("\n");
    const edge = code.replace(/^const detector = .*$/m, forEdge).replace(", createDnsResolver", "");
    for (const [name, text] of [
      ["signup", code],
      ["edge", `${edge}\nexport const runtime = "edge";\n`],
    ] as const) {
      mkdirSync(join(folder.path, "app", name), { recursive: true });
      folder.file(`app/${name}/route.js`, compile(text));
    }
    folder.file("app/layout.js", "export default ({ children }) => <html><body>{children}</body></html>;\n");
    // The packages are links to folders elsewhere.
    folder.file("next.config.mjs", 'export default { turbopack: { root: "/" } };\n');
    const next = [join(PACKAGES, "next/dist/bin/next")];
    const env = { NEXT_TELEMETRY_DISABLED: "1" };
    const built = await runProgram(process.execPath, [...next, "build"], { cwd: folder.path, env });
    expect(built.status, built.stdout.toString() + built.stderr).toBe(0);
    const url = await start(process.execPath, [...next, "start", "-p", "0"], /Local: +(http\S+)/, env);
    expect(await signUps(`${url}/signup`)).toEqual(STATUSES);
    // The edge runtime has no DNS.
    expect(await signUps(`${url}/edge`)).toEqual(STATUSES_WITHOUT_DNS);
  },
);

it("supabase-hook.mjs accepts only signed events, and responds in Supabase's format", async () => {
  const secret = `whsec_${btoa("x".repeat(24))}`;
  // Listen on a free port and print it.
  const code = readFileSync(join(folder.path, "supabase-hook.mjs"), "utf8").replace(
    ').listen(Number(process.env.PORT ?? 9001), "127.0.0.1")',
    ').listen(0, "127.0.0.1", function () { console.log("port", this.address().port, "."); })',
  );
  const program = folder.file("run-supabase-hook.mjs", code);
  const port = await start(process.execPath, [program], /port (\d+) /, { HOOK_SECRET: `v1,${secret}` });
  const send = async (email: string, key = secret, metadata: object | null = {}): Promise<unknown> => {
    const user = { email, user_metadata: metadata };
    const body = JSON.stringify({ metadata: { name: "before-user-created" }, user });
    const headers = {
      "webhook-id": "msg_1",
      "webhook-timestamp": String(Math.floor(Date.now() / 1000)),
      "webhook-signature": new Webhook(key).sign("msg_1", new Date(), body),
    };
    const response = await post(`http://127.0.0.1:${port}`, body, headers);
    return response.status === 200 ? response.json() : response.status;
  };
  const refused = (message: string): object => ({ error: { http_code: 422, message } });
  expect(await send("jane@gmail.com")).toEqual({});
  expect(await send("")).toEqual({});
  expect(await send("jane@gmail.com", secret, null)).toEqual({});
  expect(await send("joe@mailinator.com")).toEqual(refused("please give an address that you will keep"));
  expect(await send("x@users.noreply.github.com")).toEqual(refused("this domain accepts no mail"));
  expect(await send("jane@@example.org")).toEqual(
    refused("this is not an email address; did you mean jane@example.org?"),
  );
  for (const email of NO_MAIL)
    expect([email, await send(email)]).toEqual([email, refused("this domain accepts no mail")]);
  for (const email of ["x@silent-harbour.com", "x@slow-harbour.com"])
    expect([email, await send(email)]).toEqual([email, {}]);
  expect(await send("x@gmial.com")).toEqual(refused("did you mean x@gmail.com?"));
  expect(await send("x@gmial.com", secret, { confirmed: true })).toEqual({});
  expect(await send("jane@gmail.com", `whsec_${btoa("y".repeat(24))}`)).toBe(401);
});

for (const [name, { program, expected }] of Object.entries(PROGRAMS)) {
  it.skipIf(!hasPackage(name))(`${name}.ts accepts and rejects the expected sign-ups (needs ${name})`, async () => {
    const values = { EMAILS: SIGN_UPS.map(([email]) => email), NO_MAIL, CONFIRMED };
    const constants = Object.entries(values).map(([key, value]) => `const ${key} = ${JSON.stringify(value)};\n`);
    const path = folder.file(`run-${name}.mjs`, constants.join("") + program);
    const { status, stdout, stderr } = await runProgram(process.execPath, [path], { cwd: folder.path });
    expect({ status, stderr: status === 0 ? "" : stderr.toString() }).toEqual({ status: 0, stderr: "" });
    expect(JSON.parse(stdout.toString().trim().split("\n").at(-1) as string)).toEqual(expected);
  });
}

it.skipIf(!hasPackage("express"))("the examples in TypeScript compile under the strictest options", async () => {
  for (const name of TYPED) folder.file(`${name}.ts`, example(`${name}.ts`));
  const options = {
    ...{ strict: true, exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true, skipLibCheck: true },
    ...{ noEmit: true, target: "es2023", module: "nodenext", moduleResolution: "nodenext", types: ["node"] },
    ...{ erasableSyntaxOnly: true, typeRoots: [join(ROOT, "node_modules/@types")] },
  };
  const config = { compilerOptions: options, files: TYPED.map((name) => `${name}.ts`) };
  folder.file("tsconfig.json", JSON.stringify(config));
  folder.file("package.json", '{"type":"module"}');
  const tsc = [join(ROOT, "node_modules/typescript/bin/tsc"), "-p", "."];
  const { status, stdout } = await runProgram(process.execPath, tsc, { cwd: folder.path });
  expect([status, stdout.toString()]).toEqual([0, ""]);
});

it.skipIf(!hasChromium)(
  "signup-form.html warns while typing, and accepts addresses if the daemon is unavailable (needs Chromium)",
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
        await tab.getByLabel("Email").fill(text);
        await tab.getByLabel("Email").blur();
      };
      const hint = (): Promise<string> => tab.getByRole("status").innerText();
      const isValid = (): Promise<unknown> => tab.evaluate("document.querySelector('form').checkValidity()");
      for (const [email, hintText, valid] of [
        ["joe@mailinator.com", "Please give another address.", false],
        ["jane@users.noreply.github.com", "Please give another address.", false],
        ["jane@gmial.com", "Did you mean jane@gmail.com?", true],
        ["jane@example.invalidtld", "This is not an email address.", false],
        ["jane@gmail.com", "", true],
      ] as const) {
        await type(email);
        // The hint alone may still be that of the address before.
        await expect.poll(async () => [email, await hint(), await isValid()]).toEqual([email, hintText, valid]);
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

it.each(readdirSync(join(ROOT, "man/examples")).filter((name) => /\.(mjs|ts|html)$/.test(name)))(
  "the example %s has at most 40 lines",
  (name) => {
    expect(example(name).trimEnd().split("\n").length).toBeLessThanOrEqual(40);
  },
);
