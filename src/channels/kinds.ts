// The words for types of channels and for events. A file of its own, because the option tables have these
// words without what keeps channels.

export const CHANNEL_TYPES = ["email", "webhook", "slack", "mattermost", "rocketchat", "msteams", "discord"] as const;

export type ChannelType = (typeof CHANNEL_TYPES)[number];

/** The types by the names that people know. */
export const TYPE_NAMES: Readonly<Record<ChannelType, string>> = {
  email: "E-mail",
  webhook: "Webhook",
  slack: "Slack",
  mattermost: "Mattermost",
  rocketchat: "Rocket.Chat",
  msteams: "Microsoft Teams",
  discord: "Discord",
};

/** Events that a channel can be told of. */
export const EVENTS = ["channel.test", "detection.completed", "lists.updated", "lists.update_failed"] as const;

export type EventName = (typeof EVENTS)[number];
