// Tests which database URLs are accepted, the messages of database errors, and that no message contains a password.

import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { Database, isMissingTables, isUnreachable } from "../../../../src/store/postgresql/database.ts";
import { pg } from "../../../helpers/postgres.mjs";

const open = (url: string): Database => new Database({ url, load: () => pg, installCommand: "", warn: () => {} });

function messageOf(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    return (error as Error).message;
  }
  return "";
}

it.each([
  ["postgresql://joe:s3cret@db.example.com:5432/mail?sslmode=verify-full", "the database mail on db.example.com"],
  ["postgres://joe@[::1]/mail", "the database mail on [::1]"],
  ["postgresql:///mail?host=/run/postgresql", "the database mail"],
  ["postgresql://%2Frun%2Fpostgresql/mail", "the database mail on %2Frun%2Fpostgresql"],
  ["postgresql://joe:a%40b%2Fc@10.0.0.7/", "the database on 10.0.0.7"],
])("the display name of %s is %s", (url, title) => {
  expect(open(url).displayName).toBe(title);
});

it.each([
  ["mysql://joe:s3cret@db/mail"],
  ["store.json"],
  ["postgresql://joe:s3cret/1@db/mail"],
  ["postgresql://joe:12/s3cret@db/mail"],
  ["postgresql://joe:12?s3cret@db/mail"],
  ["postgresql://joe:12#s3cret@db/mail"],
  ["postgresql://joe:s3@cret@db/mail"],
  ["postgresql://joe:s3cret"],
  ["postgresql://joe:s3cret%zz@db/mail"],
  ["postgresql://db/mail\nhost=s3cret"],
])("the database URL %j is rejected without showing any part of it", (url) => {
  const message = messageOf(() => open(url));
  expect(message).toMatch(
    /^ADDRSIFT_STORE (?:must be|is not) a URL of PostgreSQL[:,] .*postgresql:\/\/addrsift@db\.example\.com/,
  );
  expect(message).not.toMatch(/s3|cret|joe|12/);
});

const failureOf = (code: string, message = "", severity?: string): string =>
  open("postgresql://joe:s3cret@db/mail").toError({ code, message, severity }).message;

it.each([
  ["28P01", "FATAL", /^the database mail on db rejects the password, or received none: correct it in ADDRSIFT_STORE/],
  ["3D000", "FATAL", /^the database mail on db does not exist: create it/],
  ["42501", "ERROR", /denies permission to this user: make it the owner/],
  ["25006", "ERROR", /is read-only: name the primary server/],
  ["55P03", "ERROR", /has been locked by another process for 20 seconds/],
  ["57P03", "FATAL", /does not answer \(the database system is starting up\): start it/],
  ["ECONNREFUSED", undefined, /does not answer \(ECONNREFUSED\): start it/],
  ["28000", "FATAL", /rejects the user: correct the user/],
  ["53100", "ERROR", /has no disk space left: free some there/],
  ["53300", "FATAL", /has no free connection: raise its max_connections/],
  ["42P01", "ERROR", /has no addrsift tables: create a key first/],
  ["ENOTFOUND", undefined, /is on a host that can't be resolved: correct/],
  ["ERR_TLS_CERT_ALTNAME_INVALID", undefined, /has a TLS certificate for another name: use the/],
  ["CERT_HAS_EXPIRED", undefined, /has an expired TLS certificate: renew it/],
  ["SELF_SIGNED_CERT_IN_CHAIN", undefined, /of an unknown authority \(SELF_SIGNED_CERT_IN_CHAIN\): name the authority/],
  ["08006", "ERROR", /does not answer \(the database system is starting up\): start it/],
  ["22001", "ERROR", /rejected a statement \(the database system is starting up\): see its log/],
])("the message about the database error %s has a fix", (code, severity, message) => {
  expect(failureOf(code, "the database system is starting up", severity)).toMatch(message);
});

it("a database server without TLS and an unreadable certificate file are reported with a fix", () => {
  expect(failureOf("", "The server does not support SSL connections")).toMatch(/ has no TLS: enable it there/);
  for (const path of ["/secret", "/"]) {
    const message = messageOf(() => {
      try {
        readFileSync(path);
      } catch (error) {
        throw open("postgresql://db/mail").toError(error);
      }
    });
    expect(message).toMatch(/of sslrootcert, sslcert or sslkey can't be read \((?:ENOENT|EISDIR)\): correct its path/);
  }
});

it.each(["ECONNRESET", "ETIMEDOUT"])("a connection lost with %s makes the database unreachable", (code) => {
  const away = open("postgresql://db/mail").toError({ code, syscall: "read", message: `read ${code}` });
  expect([isUnreachable(away), away.message]).toEqual([true, expect.stringContaining(`does not answer (${code})`)]);
});

it("database errors have the codes UNAVAILABLE, FULL and READONLY", () => {
  const database = open("postgresql://db/mail");
  const codes = ["57P03", "53100", "25006"].map((code) => database.toError({ code, message: "" }).code);
  expect(codes).toEqual(["UNAVAILABLE", "FULL", "READONLY"]);
  const known = database.toError({ code: "42P01", message: "" });
  expect([isMissingTables(known), isUnreachable(known), database.toError(known) === known]).toEqual([
    true,
    false,
    true,
  ]);
  const away = database.toError({ code: "ECONNREFUSED", message: "" });
  expect([isMissingTables(away), isUnreachable(away)]).toEqual([false, true]);
});

it("an unavailable database is reported once, and so is its recovery", () => {
  const lines: string[] = [];
  const warn = (line: string): unknown => lines.push(line);
  const database = new Database({ url: "postgresql://db/mail", load: () => pg, installCommand: "", warn });
  const [away, readOnly] = ["ECONNREFUSED", "25006"].map((code) => database.toError({ code, message: "" }));
  for (const failure of [undefined, away, away, undefined, undefined, readOnly, readOnly, undefined, away, readOnly])
    database.reportState(failure);
  const warnings = lines.map((line) => /does not answer|answers again|is read-only|is writable again/.exec(line)?.[0]);
  const outage = ["does not answer", "answers again"];
  expect(warnings).toEqual([...outage, "is read-only", "is writable again", "does not answer", "is read-only"]);
});

it("the message about the missing package pg says how to install it", async () => {
  const load = (): never => {
    throw new Error("Cannot find module 'pg'");
  };
  const database = new Database({
    url: "postgresql://joe:s3cret@db/mail",
    load,
    installCommand: "npm install pg",
    warn: () => {},
  });
  await expect(database.query({ text: "SELECT 1", values: [] })).rejects.toMatchObject({
    code: "OPERATION",
    message: expect.stringMatching(/needs the package pg: run npm install pg$/),
  });
});
