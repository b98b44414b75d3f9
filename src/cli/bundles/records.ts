// The commands that use the store, as a file of their own: other commands do not load the code that hashes, locks and stores.

import { channelsCreate } from "../commands/channels/create.ts";
import { channelsDelete } from "../commands/channels/delete.ts";
import { channelsDeliveries } from "../commands/channels/deliveries.ts";
import { channelsGet } from "../commands/channels/get.ts";
import { channelsList } from "../commands/channels/list.ts";
import { channelsReplay } from "../commands/channels/replay.ts";
import { channelsTest } from "../commands/channels/test.ts";
import { channelsUpdate } from "../commands/channels/update.ts";
import { channelsVerify } from "../commands/channels/verify.ts";
import { keysCreate } from "../commands/keys/create.ts";
import { keysList } from "../commands/keys/list.ts";
import { keysRevoke } from "../commands/keys/revoke.ts";
import { listsAllow, listsDeny } from "../commands/lists/allow-deny.ts";
import { listsOverrides } from "../commands/lists/overrides.ts";

export { openCompletion, tellChannels } from "../commands/detect/end/notify.ts";

export const COMMANDS = {
  "channels create": channelsCreate,
  "channels delete": channelsDelete,
  "channels deliveries": channelsDeliveries,
  "channels get": channelsGet,
  "channels list": channelsList,
  "channels replay": channelsReplay,
  "channels test": channelsTest,
  "channels update": channelsUpdate,
  "channels verify": channelsVerify,
  "keys create": keysCreate,
  "keys list": keysList,
  "keys revoke": keysRevoke,
  "lists allow": listsAllow,
  "lists deny": listsDeny,
  "lists overrides": listsOverrides,
} as const;
