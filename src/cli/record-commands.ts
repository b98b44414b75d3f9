// The commands that keep records, in a file of their own: no other command is to load what hashes, locks and stores.

import type { Arguments } from "./arguments.ts";
import { channelsCreate, channelsDelete, channelsGet, channelsList, channelsUpdate } from "./channels.ts";
import { channelsDeliveries, channelsTest, channelsVerify } from "./channels-work.ts";
import type { Host } from "./compose.ts";
import { keysCreate, keysList, keysRevoke } from "./keys.ts";

export { openCompletion, tellChannels } from "./completion.ts";

export const RECORD_COMMANDS: Readonly<Record<string, (args: Arguments, host: Host) => number | Promise<number>>> = {
  "channels create": channelsCreate,
  "channels delete": channelsDelete,
  "channels deliveries": channelsDeliveries,
  "channels get": channelsGet,
  "channels list": channelsList,
  "channels test": channelsTest,
  "channels update": channelsUpdate,
  "channels verify": channelsVerify,
  "keys create": keysCreate,
  "keys list": keysList,
  "keys revoke": keysRevoke,
};
