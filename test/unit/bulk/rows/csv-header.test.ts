// Tests which column has the address, and the header of the output.

import { expect, it } from "vitest";
import {
  type ColumnOptions,
  chooseColumn,
  formatOutputHeader,
  looksLikeAddress,
  mentionsEmail,
} from "../../../../src/bulk/rows/csv-header.ts";
import { ADDED_COLUMNS } from "../../../../src/detection/fields.ts";

const columnOptions = (options: Partial<ColumnOptions> = {}): ColumnOptions => ({
  column: undefined,
  hasHeader: true,
  prefix: "",
  delimiter: 0x2c,
  ...options,
});

it.each(
  [
    ...["email", "Email", "EMAIL", "e-mail", "E-Mail", "e mail", "e_mail", "mail", "Email Address", "email_address"],
    ...["EmailAddress", "E-Mail-Adresse", "E-Mail Adresse", "Mail", "Courriel", "Adresse e-mail", "Adresse mail"],
    ...[
      "adresse email",
      "Correo electrónico",
      "correo electronico",
      "CORREO ELECTRÓNICO",
      "Correo",
      "Indirizzo e-mail",
    ],
    ...["Endereço de e-mail", "E-mailadres", "E-mailadresse", "Adres e-mail", "user_email", "work email"],
    ...["Primary Email", "contact.email", "customerEmail", "correo electro\u0301nico"],
  ].map((name) => [name]),
)("chooseColumn recognizes %j as the name of the email column", (name) => {
  expect(chooseColumn(["id", "name", name, "city"], columnOptions())).toBe(2);
});

it.each([
  [["email", "email_status"], 0],
  [["email opt-in", "sent by e-mail", "E-Mail"], 2],
  [["user email", "Courriel", "email consent"], 1],
  [["email_hash", "contact_mail"], 1],
  [["emailHash", "contactMail"], 1],
  [["mail stop", "Work Mail", "emailVerified"], 1],
  [["Email Opt Out", "Email Status", "work_email", "email sha256"], 2],
])("chooseColumn chooses the email column of %j", (names, index) => {
  expect(chooseColumn(names, columnOptions())).toBe(index);
});

const ABOUT =
  "accepts hash md5 sha status domain verified valid invalid confirmed consent opt sent bounce bounced unsubscribed subscribed count date type";
it.each(ABOUT.split(" "))('mentionsEmail is false for a column name with the words "email" and "%s"', (word) => {
  for (const name of [`email_${word}`, `${word} email`, `Email ${word.toUpperCase()} 1`, `email(${word})`]) {
    expect([name, mentionsEmail(name)]).toEqual([name, false]);
  }
  // An adjacent letter makes it another word.
  for (const name of [`email_x${word}`, `${word}x email`, `${word}ß email`]) {
    expect([name, mentionsEmail(name)]).toEqual([name, true]);
  }
});

it.each([" a@b.c ", "a@b..c", "a@..."])("looksLikeAddress accepts %j", (text) => {
  expect(looksLikeAddress(text)).toBe(true);
});

it.each(["", "a@b", "a@.b", "a@b.", "a@b.c d", "a@b@c.d", "@b.c", `a@${".".repeat(1_000_000)}@`])(
  "looksLikeAddress rejects $0",
  (text) => {
    expect(looksLikeAddress(text)).toBe(false);
  },
);

const A_ROW = /^the header of column 2 is an address, "a@b.org": add --no-header, or --part/;
const TWO = /^2 columns are called "email": choose --column 1 or --column 3$/;
const VERY_MANY =
  /^5000 columns are called "email": choose --column 1 or .{300,600} or --column 30 or … \(5000 columns\)$/;
const VERY_MANY_LIKELY =
  /^more than one header looks like email: choose .* or --column 30 \("email 29"\) or … \(5000 columns\)$/;
const SEVERAL = /^more than one header looks like email: choose --column 1 \("email"\) or --column 2 \("E-Mail"\)$/;
const BY_NUMBER = /^without a header, the email column has to be chosen by number: add --column N, from 1 to 2$/;
it.each<[string, string[], Partial<ColumnOptions>, RegExp]>([
  ["no email column", ["id", "name"], {}, /^no header looks like email: .*--column with one of 1 "id", 2 "name"$/],
  ["an empty header", [""], {}, /^no header looks like email: .*--column with one of 1 ""$/],
  ["no addresses, only a hash", ["id", "email_hash"], {}, /^no header looks like email: .* 1 "id", 2 "email_hash"$/],
  ["data rows", ["1", "a@b.org"], {}, /^no header looks like email: .*the first row has an @: .*--no-header\)$/],
  ["data rows, and --column", ["1", "a@b.org"], { column: "2" }, A_ROW],
  ["data that mentions email", ["1", "email@b.org"], {}, /^the header of column 2 is an address, .*--no-header/],
  ["two columns of the same name", ["email", "x", "email"], { column: "email" }, TWO],
  ["two columns of the same name in different case", ["Email", "x", "EMAIL"], { column: "email" }, TWO],
  ["an empty name", ["id", "email"], { column: "" }, /^--column is empty: use one of 1 "id", 2 "email"$/],
  ["very many columns of the same name", Array(5000).fill("email"), { column: "email" }, VERY_MANY],
  ["very many email columns", Array.from({ length: 5000 }, (_, i) => `email ${i}`), {}, VERY_MANY_LIKELY],
  ["several email columns", ["email", "E-Mail"], {}, SEVERAL],
  ["several columns that mention email", ["home email", "work email"], {}, /^more than one header looks like email/],
  [
    "numbered columns",
    ["id", "Mail 1", "Mail 2"],
    {},
    /^more than one .* --column 2 \("Mail 1"\) or --column 3 \("Mail 2"\)$/,
  ],
  ["mail as a part of words", ["mailing", "mailbox size"], {}, /^no header looks like email/],
  ["no header, several columns", ["a@b.org", "x"], { hasHeader: false }, BY_NUMBER],
  ["an unknown name", ["id", "mail"], { column: "emial" }, /^there is no column emial: did you mean "mail"\?$/],
  [
    "the start of a name",
    ["id", "Created At"],
    { column: "created" },
    /^there is no column created: did you mean "Created At"\?$/,
  ],
  ["a name that is not UTF-8", ["pr\ufffdnom"], { column: "prénom" }, /use one of .*, or --encoding windows-1252$/],
  ["bad UTF-8", ["id", "m\u{FFFD}l"], { column: "mël" }, /use one of 1 "id", 2 ".*", or --encoding windows-1252$/],
  ["number 0", ["id", "mail"], { column: "0" }, /^there is no column 0: /],
  ["number too high", ["id", "mail"], { column: "3" }, /^there is no column 3: use one of 1 "id", 2 "mail"$/],
  ["a negative number", ["id", "mail"], { column: "-1" }, /^there is no column -1: /],
  ["a fraction", ["id", "mail"], { column: "1.5" }, /^there is no column 1.5: /],
  ["a name, no header", ["id", "mail"], { column: "mail", hasHeader: false }, /^there is no column mail: .*1 to 2$/],
  ["a huge number", ["id", "mail"], { column: "18446744073709551617" }, /^there is no column 18446744073709551617: /],
])("chooseColumn throws a usage error: %s", (_, names, options, message) => {
  expect(() => chooseColumn(names, columnOptions(options))).toThrow(expect.objectContaining({ code: "USAGE" }));
  expect(() => chooseColumn(names, columnOptions(options))).toThrow(message);
});

it.each([
  ["id;email;name", 0x2c, / \(if ; separates the columns, add --delimiter ";"\)$/],
  ["id\temail", 0x2c, / \(if tabs separate the columns, add --delimiter tab\)$/],
  ["id|name|email|x;y", 0x2c, / \(if \| separates the columns, add --delimiter "\|"\)$/],
  ["id,name", 0x09, / \(if , separates the columns, use --csv with --delimiter ","\)$/],
  ["id,name", 0x3b, / \(if , separates the columns, add --delimiter ","\)$/],
])("chooseColumn suggests another delimiter for %j than character code %i", (header, delimiter, hint) => {
  const options = { delimiter, column: "nosuch" };
  expect(() => chooseColumn([header], columnOptions(options))).toThrow(hint);
});

it("chooseColumn suggests no delimiter if none is likely", () => {
  expect(() => chooseColumn(["name"], columnOptions())).not.toThrow(/delimit/);
  expect(() => chooseColumn(["a;b", "c"], columnOptions())).not.toThrow(/delimit/);
});

it("the error of chooseColumn lists candidate columns with their numbers", () => {
  const names = Array.from({ length: 60 }, (_, i) => ({ 45: "Work Email", 50: "Home Email" })[i] ?? `c${i}`);
  expect(() => chooseColumn(names, columnOptions())).toThrow(
    /^more than one header looks like email: choose --column 46 \("Work Email"\) or --column 51 \("Home Email"\)$/,
  );
  expect(() => chooseColumn(names, columnOptions({ column: "emial" }))).toThrow(
    /^there is no column emial: use one of 46 "Work Email", 51 "Home Email", … \(60 columns\)$/,
  );
});

it("the error of chooseColumn shortens a long list of columns", () => {
  const names = Array.from({ length: 500 }, (_, i) => `column ${i} ${"x".repeat(100)}`);
  expect(() => chooseColumn(names, columnOptions())).toThrow(/^.{100,2000}… \(500 columns\)$/);
});

it.each<[string, string[], Partial<ColumnOptions>, number]>([
  ["by name", ["email", "Kontakt"], { column: "Kontakt" }, 1],
  ["by name in another case", ["email", "Kontakt"], { column: "KONTAKT" }, 1],
  ["by name, preferring the same case", ["KONTAKT", "Kontakt"], { column: "Kontakt" }, 1],
  ["by number if two have the same name", ["email", "x", "email"], { column: "3" }, 2],
  ["by name with space around it", ["email", "Kontakt"], { column: " Kontakt" }, 1],
  ["by number", ["email", "Kontakt"], { column: "2" }, 1],
  ["by number 1", ["x", "y"], { column: "1" }, 0],
  ["by name, preferred to a number", ["x", "y", "1"], { column: "1" }, 2],
  ["by number without a header", ["3", "a@b.org"], { column: "2", hasHeader: false }, 1],
  ["by number, not by a field of data", ["2", "a@b.org"], { column: "2", hasHeader: false }, 1],
  ["the only column without a header", ["a@b.org"], { hasHeader: false }, 0],
  ["one of several that mention email", ["home email", "work email"], { column: "work email" }, 1],
])("chooseColumn finds the selected column: %s", (_, names, options, index) => {
  expect(chooseColumn(names, columnOptions(options))).toBe(index);
});

const header = (text: string, fields: string[], crlf: boolean, options: Partial<ColumnOptions> = {}): string =>
  Buffer.from(formatOutputHeader(Buffer.from(text), fields, crlf, columnOptions(options), ADDED_COLUMNS)).toString();

it("formatOutputHeader returns the unchanged header followed by the added names", () => {
  const names = ADDED_COLUMNS.join(",");
  expect(header('id,"e ""mail"""', ["id", 'e "mail"'], false)).toBe(`id,"e ""mail""",${names}\n`);
  expect(header("email", ["email"], true)).toBe(`email,${names}\r\n`);
  expect(header("a;email", ["a", "email"], false, { delimiter: 0x3b })).toBe(`a;email;${names.replaceAll(",", ";")}\n`);
  expect(header("email", ["email"], false, { prefix: "=", spreadsheetSafe: true })).toMatch(/^email,'=syntax/);
  expect(header("email", ["email"], false, { prefix: "as_" })).toBe(
    `email,${ADDED_COLUMNS.map((name) => `as_${name}`).join(",")}\n`,
  );
});

it("formatOutputHeader rejects an added name that the header already has", () => {
  expect(() => header("email,p.tag", ["email", "p.tag"], false, { prefix: "p." })).not.toThrow();
  const fields = ["email", "p.disposable"];
  expect(() => header("x", fields, false, { prefix: "p." })).toThrow(
    /already has a column p\.disposable: .*--prefix P/,
  );
});
