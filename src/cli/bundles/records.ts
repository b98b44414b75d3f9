// The commands that keep records, in a file of their own: no other command is to load what hashes, locks and stores.

import {
  channelsCreate,
  channelsDelete,
  channelsGet,
  channelsList,
  channelsUpdate,
} from "../commands/channels/channels.ts";
import { channelsDeliveries, channelsTest, channelsVerify } from "../commands/channels/work.ts";
import { keysCreate, keysList, keysRevoke } from "../commands/keys/keys.ts";
import type { Host } from "../open/compose.ts";
import type { Arguments } from "../options/arguments.ts";

export { openCompletion, tellChannels } from "../commands/detect/notify.ts";

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
