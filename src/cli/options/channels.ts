// The option tables of `addrsift channels`.

import { CHANNEL_TYPES } from "../../channels/record.ts";
import { ALLOW_PRIVATE } from "./shared.ts";
import type { CommandSpec, OptionSpec } from "./types.ts";

const TEAM = {
  name: "team",
  value: "TEAM",
  default: "default",
  help: "the team that the channel is of",
} as const satisfies OptionSpec;
const JSON_OBJECT = { name: "json", help: "print a JSON object" } as const satisfies OptionSpec;
const CONFIG = {
  name: "config",
  value: "KEY=VALUE",
  repeat: true,
  help: "a field of the config: address, url, secret, events, headers.NAME; =@FILE reads the value from a file, =@- from standard input; may be given again",
} as const satisfies OptionSpec;

export const CHANNELS_CREATE = {
  name: "channels create",
  summary: "make a channel; a signing secret that was made for it is shown this once",
  options: [
    { name: "name", value: "NAME", help: "what the channel is called, 1 to 100 characters" },
    { name: "type", value: "TYPE", choices: CHANNEL_TYPES, help: "how it reaches people or programs" },
    CONFIG,
    TEAM,
    JSON_OBJECT,
  ],
  examples: [
    [
      "addrsift channels create --name ops --type webhook --config url=https://hooks.example.com/in",
      "a webhook; secret and headers are best read from files",
    ],
    ["addrsift channels create --name on-call --type email --config address=ops@example.com --json", "by mail"],
  ],
} as const satisfies CommandSpec;

export const CHANNELS_LIST = {
  name: "channels list",
  summary: "list a team's channels",
  options: [
    { ...TEAM, help: "the team" },
    { name: "json", help: "print a JSON array" },
  ],
  examples: [["addrsift channels list", "all channels of the team default"]],
} as const satisfies CommandSpec;

export const CHANNELS_GET = {
  name: "channels get",
  summary: "show a channel, without its secrets",
  argument: "<ID>",
  options: [TEAM, JSON_OBJECT],
  examples: [["addrsift channels get ch_7Qw2eRt5yUi8oPa1 --json", "by the id that channels list shows"]],
} as const satisfies CommandSpec;

export const CHANNELS_UPDATE = {
  name: "channels update",
  summary: "change a channel: what is given changes, the rest stays",
  argument: "<ID>",
  options: [
    { name: "name", value: "NAME", help: "another name" },
    CONFIG,
    {
      name: "unset",
      value: "KEY",
      repeat: true,
      help: "take a field of the config away, named as for --config; may be given again",
    },
    TEAM,
    JSON_OBJECT,
  ],
  examples: [
    [
      "addrsift channels update ch_7Qw2eRt5yUi8oPa1 --name alerts --unset headers.X-Key",
      "another name, one header less",
    ],
    ["addrsift channels update ch_7Qw2eRt5yUi8oPa1 --config events=lists.updated,lists.update_failed", "tell it less"],
  ],
} as const satisfies CommandSpec;

export const CHANNELS_DELETE = {
  name: "channels delete",
  summary: "delete a channel",
  argument: "<ID>",
  options: [TEAM, { name: "json", help: "print what was deleted as a JSON object" }],
  examples: [["addrsift channels delete ch_7Qw2eRt5yUi8oPa1", "it is told nothing any more"]],
} as const satisfies CommandSpec;

export const CHANNELS_TEST = {
  name: "channels test",
  summary: "send a test; a webhook that takes it is verified, an unverified address is mailed its verification again",
  argument: "<ID>",
  options: [ALLOW_PRIVATE, TEAM, JSON_OBJECT],
  examples: [["addrsift channels test ch_7Qw2eRt5yUi8oPa1", "exit status 2 says that it did not get through"]],
} as const satisfies CommandSpec;

export const CHANNELS_VERIFY = {
  name: "channels verify",
  summary: "verify a mail channel by the token of its message, which is read from standard input",
  argument: "<ID>",
  options: [TEAM, JSON_OBJECT],
  examples: [["addrsift channels verify ch_2bN8kLmX4vRt6yQs < token.txt", "or typed at a terminal"]],
} as const satisfies CommandSpec;

export const CHANNELS_DELIVERIES = {
  name: "channels deliveries",
  summary: "list a channel's deliveries of the last 30 days, the latest first",
  argument: "<ID>",
  options: [TEAM, { name: "json", help: "print a JSON array" }],
  examples: [["addrsift channels deliveries ch_7Qw2eRt5yUi8oPa1", "what was sent, and what is tried again when"]],
} as const satisfies CommandSpec;
