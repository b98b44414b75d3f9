// The table of all types of channels.

import type { ChannelType } from "../kinds.ts";
import { DISCORD } from "./discord.ts";
import { EMAIL } from "./email.ts";
import { MSTEAMS } from "./msteams.ts";
import { SLACK } from "./slack.ts";
import type { TypeOfChannel } from "./type.ts";
import { WEBHOOK } from "./webhook.ts";

export const TYPES: Readonly<Record<ChannelType, TypeOfChannel>> = {
  email: EMAIL,
  webhook: WEBHOOK,
  slack: SLACK,
  mattermost: SLACK,
  rocketchat: SLACK,
  msteams: MSTEAMS,
  discord: DISCORD,
};

/** The type of the chat service that a host belongs to; undefined for other hosts. */
export function serviceOf(hostname: string): ChannelType | undefined {
  const found = Object.entries(TYPES).find(([, { service }]) => service?.hosts.test(hostname));
  return found?.[0] as ChannelType | undefined;
}
