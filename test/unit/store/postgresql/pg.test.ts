// Tests that passwords are read from the file that PGPASSFILE names, with libpq's rules.

import { chmodSync } from "node:fs";
import { afterAll, describe, expect, it } from "vitest";
import { readPasswordFile } from "../../../../src/store/postgresql/pg.ts";
import { scratch } from "../../../helpers/run.ts";

const CONNECTION = { host: "db.example.com", port: 5432, database: "mail", user: "joe" };
const NO_PASSWORD = " ";

describe("a password file", () => {
  const files = scratch();
  const before = process.env["PGPASSFILE"];
  afterAll(() => {
    files.remove();
    if (before === undefined) Reflect.deleteProperty(process.env, "PGPASSFILE");
    else process.env["PGPASSFILE"] = before;
  });

  function passwordOf(text: string, mode = 0o600): string {
    const path = files.file("pgpass", text);
    chmodSync(path, mode);
    process.env["PGPASSFILE"] = path;
    return readPasswordFile(CONNECTION);
  }

  it.each([
    ["db.example.com:5432:mail:joe:s3cret", "s3cret"],
    ["*:*:*:*:any", "any"],
    ["#*:*:*:*:no\n*:*:*:joe:first\r\n*:*:*:joe:second\n", "first"],
    ["*:5433:*:*:a\n*:*:post:*:b\n*:*:*:anna:c\nlocalhost:*:*:*:d\n*:*:*:*:e", "e"],
    ["*:*:*:joe:a\\:b\\\\c", "a:b\\c"],
    ["*:*:*:joe", NO_PASSWORD],
    ["*:*:*:joe:", NO_PASSWORD],
    ["", NO_PASSWORD],
  ])("a password file with %j has the password %j", (text, password) => {
    expect(passwordOf(text)).toBe(password);
  });

  it("a password file that is missing or readable by others is ignored", () => {
    expect(passwordOf("*:*:*:*:s3cret", 0o640)).toBe(NO_PASSWORD);
    process.env["PGPASSFILE"] = `${files.path}/none`;
    expect(readPasswordFile(CONNECTION)).toBe(NO_PASSWORD);
  });
});
