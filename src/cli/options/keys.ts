// The option tables of `addrsift keys`.

import { SCOPES } from "../../keys/record.ts";
import type { CommandSpec } from "./types.ts";

export const KEYS_CREATE = {
  name: "keys create",
  summary: "make an API key and print it, this once",
  options: [
    { name: "name", value: "NAME", help: "what the key is for, 1 to 100 characters" },
    { name: "scopes", value: "LIST", choices: SCOPES, list: true, help: "what the key may do" },
    { name: "team", value: "TEAM", default: "default", help: "the team whose channels the key sees" },
    {
      name: "expires",
      value: "WHEN",
      help: "when it ends: a span such as 12h, 90d or 52w, or a date (default: never)",
    },
    { name: "json", help: "print a JSON object with the key and what is kept of it" },
  ],
  examples: [
    [
      "addrsift keys create --name signup-form --scopes emails:detect --expires 90d",
      "a key that may classify addresses",
    ],
    [
      "addrsift keys create --name ops --team ops --scopes notifications:create,notifications:read --json",
      "a key for a team's channels",
    ],
  ],
} as const satisfies CommandSpec;

export const KEYS_LIST = {
  name: "keys list",
  summary: "list API keys with scopes, expiry and last use; the keys themselves are not kept",
  options: [
    { name: "team", value: "TEAM", help: "the keys of this team alone (default: all)" },
    { name: "json", help: "print a JSON array" },
  ],
  examples: [["addrsift keys list", "all keys"]],
} as const satisfies CommandSpec;

export const KEYS_REVOKE = {
  name: "keys revoke",
  summary: "end an API key for good; daemons refuse it within a second",
  argument: "<ID>",
  options: [{ name: "json", help: "print a JSON object" }],
  examples: [["addrsift keys revoke key_4mXb0Qz1LrT9sUwA", "by the id that keys list shows"]],
} as const satisfies CommandSpec;
