// The option tables of `addrsift keys`.

import { SCOPES } from "../../keys/scopes.ts";
import type { CommandSpec } from "./types.ts";

export const KEYS_CREATE = {
  name: "keys create",
  summary: "create an API key and print it; it is shown only now",
  options: [
    { name: "name", value: "NAME", help: "name of the key, 1 to 100 characters" },
    { name: "scopes", value: "LIST", choices: SCOPES, list: true, help: "what the key may do, separated by commas" },
    { name: "team", value: "TEAM", default: "default", help: "team whose channels the key can use" },
    {
      name: "expires",
      value: "WHEN",
      help: "when the key expires: a time span such as 12h, 90d or 52w, or a date (default: never)",
    },
    { name: "json", help: "print a JSON object with the key and its record" },
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
  summary: "list API keys with scopes, expiry and last use; the keys themselves are not stored",
  options: [
    { name: "team", value: "TEAM", help: "list only the keys of this team (default: all teams)" },
    { name: "json", help: "print a JSON array" },
  ],
  examples: [["addrsift keys list", "all keys"]],
} as const satisfies CommandSpec;

export const KEYS_REVOKE = {
  name: "keys revoke",
  summary: "revoke an API key for good; daemons refuse it within a second",
  argument: "<ID>",
  options: [{ name: "json", help: "print a JSON object" }],
  examples: [["addrsift keys revoke key_4mXb0Qz1LrT9sUwA", "by the ID that keys list shows"]],
} as const satisfies CommandSpec;
