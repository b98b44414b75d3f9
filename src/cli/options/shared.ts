// Options that more than one command has.

import type { OptionValues } from "../../bulk/run/option-table.ts";
import type { OptionSpec } from "./types.ts";

/** Every command takes these. */
export const GLOBAL_OPTIONS = [
  {
    name: "home",
    value: "DIR",
    group: "Global",
    help:
      "folder of keys, channels, overrides and updated lists (default: $ADDRSIFT_HOME, else " +
      "$XDG_DATA_HOME/addrsift, else ~/.local/share/addrsift)",
  },
  { name: "quiet", group: "Global", help: "print only errors on standard error" },
  { name: "no-color", group: "Global", help: "print no colour, as with the environment variable NO_COLOR" },
] as const satisfies readonly OptionSpec[];

export const VERSION = {
  name: "version",
  short: "V",
  group: "Global",
  help: "print the versions of addrsift, its lists and Node",
} as const satisfies OptionSpec;

/** Options that are answered before a command runs. */
export const BUILT_IN_OPTIONS = [
  {
    name: "help",
    short: "h",
    group: "Global",
    help: "print help; after a command, the help of that command, of which -h prints a screen",
  },
  VERSION,
] as const satisfies readonly OptionSpec[];

export type GlobalOption = (typeof GLOBAL_OPTIONS)[number];
export type GlobalOptions = OptionValues<GlobalOption>;

export const DNS_OPTIONS = [
  {
    name: "dns-timeout",
    value: "TIME",
    default: "2000",
    group: "DNS",
    help:
      "time limit for each domain, retries included, such as 500ms or 2s; a bare number is milliseconds; at " +
      "most 10m",
  },
  {
    name: "dns-server",
    value: "ADDR[:PORT]",
    list: true,
    group: "DNS",
    help: "name server to ask instead of the system's; may be given again (default: $ADDRSIFT_DNS_SERVERS)",
  },
] as const satisfies readonly OptionSpec[];

export type DnsOption = (typeof DNS_OPTIONS)[number];

/** Which addresses besides public ones webhooks may have, for every command that sends to them. */
export const ALLOW_PRIVATE = {
  name: "allow-private",
  value: "CIDR",
  repeat: true,
  group: "Notify",
  help:
    "let webhooks reach this range of private or otherwise special addresses, such as 10.0.0.0/8; may be given " +
    "again (default: $ADDRSIFT_ALLOW_PRIVATE)",
} as const satisfies OptionSpec;
