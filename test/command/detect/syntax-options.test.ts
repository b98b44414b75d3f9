// Tests the syntax policy: each option changes the verdict only on its own kind of address.

import { describe, expect, it } from "vitest";
import { objectsOf, run } from "../../helpers/run.ts";

/** For each option: whether the addresses are valid without it, and the addresses whose verdict it changes. */
const BY_OPTION: readonly (readonly [option: string, valid: boolean, addresses: readonly string[]])[] = [
  ["--no-quoted-local", true, ['"two words"@example.org', '"plain"@example.org']],
  ["--ascii-only", true, ["grüße@example.org", "ada@münchen.example.org"]],
  ["--allow-domain-literal", false, ["ada@[192.0.2.7]", "ada@[IPv6:2001:db8::7]"]],
  ["--allow-unknown-tld", false, ["ada@mail.nosuchtld"]],
  ["--allow-reserved", false, ["ada@mail.test", "ada@printer.local"]],
];
const NEVER_CHANGED = ["ada@example.org", "ada@xn--mnchen-3ya.de", "a..b@example.org", "ada@exa_mple.org", "ada@co.uk"];
const ADDRESSES = [...BY_OPTION.flatMap(([, , addresses]) => addresses), ...NEVER_CHANGED];
const INPUT = `${ADDRESSES.join("\n")}\n`;

const validAddresses = (stdout: Buffer): string[] =>
  objectsOf(stdout)
    .filter((row) => row.syntax_validation === true)
    .map((row) => row.email);

const VALID_BY_DEFAULT = [
  ...BY_OPTION.filter(([, valid]) => valid).flatMap(([, , addresses]) => addresses),
  ...NEVER_CHANGED.slice(0, 2),
];

describe.concurrent.each(BY_OPTION)("%s", (option, _, addresses) => {
  it.each([
    ["lines", [], INPUT],
    ["arguments", ["--offline", ...ADDRESSES], ""],
  ])(`${option} changes only the verdicts of its kind of address: %s`, async (_, args, stdin) => {
    const valid = validAddresses((await run(["detect", option, ...args], { stdin })).stdout);
    const changed = ADDRESSES.filter((address) => VALID_BY_DEFAULT.includes(address) !== valid.includes(address));
    expect(changed).toEqual(addresses);
  });
});
