// Channel types and events. A separate file, so that the option tables don't load the channels module.

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

/** Forms of the webhook URLs of chats. */
export const URL_FORMS: Readonly<Record<string, string>> = {
  slack: "https://hooks.slack.com/services/...",
  mattermost: "https://HOST/hooks/...",
  rocketchat: "https://HOST/hooks/...",
  msteams: "https://HOST/.../workflows/.../triggers/.../paths/invoke?...&sig=...",
  discord: "https://discord.com/api/webhooks/ID/TOKEN",
  googlechat: "https://chat.googleapis.com/v1/spaces/.../messages?key=...&token=...",
};

export const EVENTS = ["channel.test", "detection.completed", "lists.updated", "lists.update_failed"] as const;

export const DELIVERY_STATUSES = ["pending", "delivered", "failed"] as const;

/** Option table of the command and of the route that list deliveries. */
export const DELIVERY_FILTER = [
  { name: "status", value: "STATUS", choices: DELIVERY_STATUSES, help: "list only deliveries with this status" },
  { name: "limit", value: "N", range: [1, 10_000], help: "list at most this many deliveries, 1 to 10000" },
] as const;

export type EventName = (typeof EVENTS)[number];

export const EVENT_DESCRIPTIONS: Readonly<Record<EventName, string>> = {
  "channel.test": "A test of the channel, sent once, also to unverified channels and regardless of `events`.",
  "detection.completed":
    "A run of `addrsift detect --notify ID` has ended, even if it failed. " +
    "Other runs, and files in the web UI, send no event.",
  "lists.updated": "New lists are in use, or earlier ones after `addrsift lists rollback`.",
  "lists.update_failed":
    "The lists, or one of their sources, could not be updated; the lists in use are kept. " +
    "Sent once for each reason, until an update succeeds.",
};
