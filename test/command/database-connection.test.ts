// Tests how a command connects to its database: TLS errors, and the password file. Standard error has at most one line.

import { chmodSync, chownSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { PASSWORD, POSTGRES_PROGRAMS, type Postgres, startPostgres } from "../helpers/postgres.mjs";
import { runProcess, scratch } from "../helpers/run.ts";
import { CERTIFICATE, PRIVATE_KEY } from "../unit/outbound/certificate.ts";

describe.skipIf(POSTGRES_PROGRAMS === undefined)("a connection to the database", () => {
  const files = scratch();
  const authority = files.file("authority.pem", CERTIFICATE);
  let server: Postgres;
  let url: string;

  beforeAll(async () => {
    server = await startPostgres();
    url = await server.create();
  });
  afterAll(async () => {
    await server.remove();
    files.remove();
  });

  const listKeys = async (store: string, env: Readonly<Record<string, string>> = {}): Promise<string> => {
    const { stdout, stderr } = await runProcess(["keys", "list"], { env: { ...env, ADDRSIFT_STORE: store } });
    const text = stderr.toString();
    for (const secret of [PASSWORD, encodeURIComponent(PASSWORD)])
      expect(text + stdout.toString()).not.toContain(secret);
    return text === "" ? stdout.toString() : text;
  };

  it("with sslmode=require, keys list reports that the database server has no TLS", async () => {
    expect(await listKeys(`${url}?sslmode=require`)).toMatch(
      /^addrsift: .* has no TLS: enable it there, or remove sslmode/,
    );
  });

  it("keys list reports a missing sslrootcert file", async () => {
    const wrong = `${url}?sslmode=verify-full&sslrootcert=${files.path}/none.pem`;
    expect(await listKeys(wrong)).toMatch(
      /a file of sslrootcert, sslcert or sslkey can't be read \(ENOENT\): correct its path/,
    );
  });

  describe("over TLS", () => {
    beforeAll(async () => {
      const [row] = await server.ask(url, "SHOW data_directory");
      const folder = String(row?.["data_directory"]);
      const { uid, gid } = statSync(folder);
      for (const [name, text] of [
        ["server.crt", CERTIFICATE],
        ["server.key", PRIVATE_KEY],
      ] as const) {
        const path = join(folder, name);
        writeFileSync(path, `${text}\n`);
        chmodSync(path, 0o600);
        chownSync(path, uid, gid);
      }
      await server.ask(url, "ALTER SYSTEM SET ssl = on");
      await server.ask(url, "SELECT pg_reload_conf()");
      while (/has no TLS/.test(await listKeys(`${url}?sslmode=verify-full`))) {}
    });

    it.each(["prefer", "require", "verify-ca", "verify-full"])(
      "with sslmode=%s, keys list rejects an unknown authority of the database's certificate, and prints no warning for a known one",
      async (mode) => {
        expect(await listKeys(`${url}?sslmode=${mode}`)).toMatch(
          /^addrsift: .* has a TLS certificate of an unknown authority \(DEPTH_ZERO_SELF_SIGNED_CERT\): name the authority's certificate with sslrootcert=FILE in ADDRSIFT_STORE\n$/,
        );
        expect(await listKeys(`${url}?sslmode=${mode}&sslrootcert=${authority}`)).toBe("");
      },
    );

    it("with sslmode=verify-full, keys list reports a database certificate for another host name", async () => {
      // Another name of the same address; Node 22.23 reads 127.1 as 127.0.0.1.
      const other = url.replace("@127.0.0.1:", "@0.0.0.0:");
      expect(await listKeys(`${other}?sslmode=verify-full&sslrootcert=${authority}`)).toMatch(
        /has a TLS certificate for another name: use the certificate's host name in ADDRSIFT_STORE\n$/,
      );
    });
  });

  describe("with its password in a file", () => {
    const plain = (): string => url.replace(/:[^:@/]*@/, "@");
    const file = (text: string, mode = 0o600): string => {
      const path = files.file("pgpass", text);
      chmodSync(path, mode);
      return path;
    };
    const line = `127.0.0.1:*:*:addrsift:${PASSWORD.replace(/[:\\]/g, "\\$&")}\n`;

    it("keys list reads the database password from PGPASSFILE, without a warning", async () => {
      const others = "# of this machine\nlocalhost:1:mail:joe:other\n127.0.0.1:1:*:addrsift:other\n";
      expect(await listKeys(plain(), { PGPASSFILE: file(`${others}${line}`) })).toBe("");
    });

    it.each([
      ["if the file has no matching entry", "db.example.com:*:*:addrsift:x\n", 0o600],
      ["if other users can read the file", line, 0o644],
    ])("the database password in PGPASSFILE is not used %s", async (_, text, mode) => {
      expect(await listKeys(plain(), { PGPASSFILE: file(text, mode) })).toMatch(
        /^addrsift: .* rejects the password, or received none: correct it in ADDRSIFT_STORE, PGPASSWORD or the file of PGPASSFILE\n$/,
      );
    });
  });
});
