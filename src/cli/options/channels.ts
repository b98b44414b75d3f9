// The option tables of `addrsift channels`.

import { teamFault } from "../../base/user-input.ts";
import { withNames } from "../../bulk/run/option-table.ts";
import { CHANNEL_TYPES, DELIVERY_FILTER } from "../../channels/kinds.ts";
import { ALLOW_PRIVATE, type CommandSpec, JSON_ARRAY, JSON_OBJECT, type OptionSpec } from "./table.ts";

const TEAM = {
  name: "team",
  value: "TEAM",
  default: "default",
  fault: teamFault,
  help: "team that owns the channel",
} as const satisfies OptionSpec;
const ALLOW_PRIVATE_OPTION = { ...ALLOW_PRIVATE, group: "Options" } as const;
const CONFIG = {
  name: "config",
  value: "KEY=VALUE",
  repeat: true,
  help:
    "set a field of the config: address, url, secret, events, enabled or headers.NAME; KEY=@FILE reads the " +
    "value from a file, KEY=@- from standard input; may be repeated",
} as const satisfies OptionSpec;

export const CHANNELS = withNames({
  "channels create": {
    summary: "create a channel; prints a new signing secret once (with --json in config.secret)",
    options: [
      { name: "name", value: "NAME", required: true, help: "name of the channel, 1 to 100 characters" },
      { name: "type", value: "TYPE", choices: CHANNEL_TYPES, required: true, help: "where it sends events" },
      CONFIG,
      TEAM,
      JSON_OBJECT,
    ],
    examples: {
      "addrsift channels create --name ops --type webhook --config url=https://hooks.example.com/in":
        "a webhook; its secret is generated and printed",
      "addrsift channels create --name chat --type slack --config url=@url.txt": "a chat; its whole URL is a secret",
      "addrsift channels create --name on-call --type email --config address=ops@example.com --json": "a mail address",
    },
  },
  "channels list": {
    summary: "list a team's channels",
    options: [{ ...TEAM, help: "team whose channels are listed" }, JSON_ARRAY],
    examples: { "addrsift channels list": "all channels of the team default" },
  },
  "channels get": {
    summary: "show a channel without its secrets",
    argument: "<ID>",
    options: [TEAM, JSON_OBJECT],
    examples: { "addrsift channels get ch_7Qw2eRt5yUi8oPa1 --json": "by the ID that channels list shows" },
  },
  "channels update": {
    summary: "change or pause a channel, or rotate its secret; other settings are kept",
    argument: "<ID>",
    options: [
      { name: "name", value: "NAME", help: "new name of the channel" },
      CONFIG,
      {
        name: "unset",
        value: "KEY",
        repeat: true,
        help: "remove a field of the config, named as in --config; may be repeated",
      },
      { name: "revoke-previous", help: "stop signing with previous secrets at once, for example after a leak" },
      TEAM,
      JSON_OBJECT,
    ],
    examples: {
      "addrsift channels update ch_7Qw2eRt5yUi8oPa1 --name alerts --unset headers.X-Key":
        "change the name, remove a header",
      "addrsift channels update ch_7Qw2eRt5yUi8oPa1 --config enabled=false":
        "pause it: new events are dropped until enabled=true",
      "addrsift channels update ch_7Qw2eRt5yUi8oPa1 --unset secret":
        "rotate its secret; the previous one signs too for 24 hours",
      "addrsift channels update ch_7Qw2eRt5yUi8oPa1 --config events=lists.updated,lists.update_failed":
        "send it fewer events",
    },
  },
  "channels delete": {
    summary: "delete a channel",
    argument: "<ID>",
    options: [TEAM, { name: "json", help: "print the deleted channel as a JSON object" }],
    examples: { "addrsift channels delete ch_7Qw2eRt5yUi8oPa1": "it receives no more events" },
  },
  "channels test": {
    summary:
      "send a test; a webhook or chat that accepts it is verified, an unverified address gets its verification " +
      "mail again",
    argument: "<ID>",
    options: [ALLOW_PRIVATE_OPTION, TEAM, JSON_OBJECT],
    examples: { "addrsift channels test ch_7Qw2eRt5yUi8oPa1": "the exit status is 2 when the test failed" },
  },
  "channels verify": {
    summary: "verify a mail channel with the token from its message, read from standard input",
    argument: "<ID>",
    options: [TEAM, JSON_OBJECT],
    examples: { "addrsift channels verify ch_2bN8kLmX4vRt6yQs < token.txt": "or type it at a terminal" },
  },
  "channels deliveries": {
    summary: "list a channel's deliveries of the last 30 days, latest attempt first",
    argument: "<ID>",
    options: [...DELIVERY_FILTER, TEAM, JSON_ARRAY],
    examples: { "addrsift channels deliveries ch_7Qw2eRt5yUi8oPa1": "what was sent, and when the next attempt is" },
  },
  "channels replay": {
    summary: "resend a delivery with its webhook-id; exits with 2 if it fails",
    argument: "<DELIVERY>",
    options: [ALLOW_PRIVATE_OPTION, TEAM, JSON_OBJECT],
    examples: { "addrsift channels replay msg_5Tn8Wz3cVb7kQ0aH": "by the ID that channels deliveries shows" },
  },
}) satisfies readonly CommandSpec[];
