// Where the API has channels.

export const CHANNELS_PATH = "api/v1/team/notifications/channels";

/** The path of a channel, or of something of it. */
export function channelPath(id: string, rest = ""): string {
  return `${CHANNELS_PATH}/${encodeURIComponent(id)}${rest}`;
}
