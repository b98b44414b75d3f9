// The syntax policy: each option changes the verdict on its own kind of address and on no other.

import { describe, expect, it } from "vitest";
import { objectsOf, run } from "../../helpers/run.ts";

/** Addresses by the option that lets them in or keeps them out, and whether they are valid without it. */
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

const validOnes = (stdout: Buffer): string[] =>
  objectsOf(stdout)
    .filter((row) => row.syntax_validation === true)
    .map((row) => row.email);

const BY_DEFAULT = [
  ...BY_OPTION.filter(([, valid]) => valid).flatMap(([, , addresses]) => addresses),
  ...NEVER_CHANGED.slice(0, 2),
];

describe.concurrent("syntax options", () => {
  it("syntax options are off by default", async () => {
    const { status, stdout } = await run(["detect"], { stdin: INPUT });
    expect(status).toBe(0);
    expect(validOnes(stdout)).toEqual(BY_DEFAULT);
  });

  it.each(BY_OPTION)("%s changes only the verdicts that it should", async (option, valid, addresses) => {
    const { status, stdout } = await run(["detect", option], { stdin: INPUT });
    expect(status).toBe(0);
    const changed = ADDRESSES.filter((address) => BY_DEFAULT.includes(address) !== validOnes(stdout).includes(address));
    expect(changed).toEqual(addresses);
    expect(validOnes(stdout).includes(addresses[0] as string)).toBe(!valid);
  });

  it("syntax options can be combined, also for arguments", async () => {
    const options = BY_OPTION.filter(([, valid]) => !valid).map(([option]) => option);
    const { stdout } = await run(["detect", ...options, ...ADDRESSES]);
    expect(validOnes(stdout)).toEqual(ADDRESSES.filter((address) => !NEVER_CHANGED.slice(2).includes(address)));
  });
});
