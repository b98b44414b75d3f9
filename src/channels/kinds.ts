// Names of channel types and events. A separate file, so that the option tables don't load the channels module.

export const CHANNEL_TYPES = [
  "email",
  "webhook",
  "slack",
  "mattermost",
  "rocketchat",
  "msteams",
  "discord",
  "googlechat",
] as const;

export type ChannelType = (typeof CHANNEL_TYPES)[number];

export const CHANNEL_TYPE_NAMES: Readonly<Record<ChannelType, string>> = {
  email: "Email",
  webhook: "Webhook",
  slack: "Slack",
  mattermost: "Mattermost",
  rocketchat: "Rocket.Chat",
  msteams: "Microsoft Teams",
  discord: "Discord",
  googlechat: "Google Chat",
};

export const EVENTS = ["channel.test", "detection.completed", "lists.updated", "lists.update_failed"] as const;

export type EventName = (typeof EVENTS)[number];
