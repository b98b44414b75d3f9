// Options that more than one command has.

import { CONFIDENCES, DEFAULT_CONFIDENCE } from "../../lists/confidence.ts";
import type { OptionSpec, OptionValues } from "./types.ts";

/** Every command takes these. */
export const GLOBAL_OPTIONS = [
  {
    name: "home",
    value: "DIR",
    help: "where the store and updated lists are (default: $ADDRSIFT_HOME, else $XDG_DATA_HOME/addrsift, else ~/.local/share/addrsift)",
  },
  { name: "quiet", help: "nothing on standard error but errors" },
  { name: "no-color", help: "no colour, as with the environment variable NO_COLOR" },
] as const satisfies readonly OptionSpec[];

export type GlobalOption = (typeof GLOBAL_OPTIONS)[number];
export type GlobalOptions = OptionValues<GlobalOption>;

/** The syntax policy. */
export const SYNTAX_OPTIONS = [
  { name: "no-quoted-local", help: "refuse quoted local parts" },
  { name: "ascii-only", help: "refuse internationalized local parts and domains in Unicode" },
  { name: "allow-domain-literal", help: "accept [192.0.2.1] and [IPv6:...]" },
  { name: "allow-unknown-tld", help: "accept top-level domains outside the root zone" },
  { name: "allow-reserved", help: "accept special-use top-level domains (test, localhost, ...)" },
  { name: "allow-bare-suffix", help: "accept domains that are public suffixes themselves" },
  { name: "allow-long-local", help: "accept local parts over 64 octets" },
] as const satisfies readonly OptionSpec[];

export type SyntaxOption = (typeof SYNTAX_OPTIONS)[number];

/** How DNS is asked. */
export const DNS_OPTIONS = [
  {
    name: "dns-timeout",
    value: "MS",
    default: "2000",
    help: "milliseconds that DNS has for one domain, retries and all, 1 to 600000",
  },
  {
    name: "dns-server",
    value: "ADDR[:PORT]",
    list: true,
    help: "ask this name server instead of the system's; may be given again (default: $ADDRSIFT_DNS_SERVERS)",
  },
] as const satisfies readonly OptionSpec[];

export type DnsOption = (typeof DNS_OPTIONS)[number];

export const MIN_CONFIDENCE = {
  name: "min-confidence",
  value: "C",
  choices: CONFIDENCES,
  default: DEFAULT_CONFIDENCE,
  help: "count only disposable entries of this confidence or better",
} as const satisfies OptionSpec;

/** Where requests of ours may go besides public addresses; of every command that sends any. */
export const ALLOW_PRIVATE = {
  name: "allow-private",
  value: "CIDR",
  repeat: true,
  help: "let webhooks reach a range of private or otherwise special addresses, such as 10.0.0.0/8; may be given again (default: $ADDRSIFT_ALLOW_PRIVATE)",
} as const satisfies OptionSpec;
