// Commands that need the stores of channels and keys, or the network, and what others need of the stores. A file of the build of its own,
// because `detect` begins sooner without it. Each is loaded when it is called.

export const STORED_COMMANDS = {
  "lists update": async () => (await import("./lists/update.ts")).listsUpdate,
  "lists diff": async () => (await import("./lists/update.ts")).listsDiff,
  "lists rollback": async () => (await import("./lists/update.ts")).listsRollback,
  "channels create": async () => (await import("./channels.ts")).channelsCreate,
  "channels list": async () => (await import("./channels.ts")).channelsList,
  "channels get": async () => (await import("./channels.ts")).channelsGet,
  "channels update": async () => (await import("./channels.ts")).channelsUpdate,
  "channels delete": async () => (await import("./channels.ts")).channelsDelete,
  "channels test": async () => (await import("./channels.ts")).channelsTest,
  "channels verify": async () => (await import("./channels.ts")).channelsVerify,
  "channels deliveries": async () => (await import("./channels.ts")).channelsDeliveries,
  "channels replay": async () => (await import("./channels.ts")).channelsReplay,
  "keys create": async () => (await import("./keys.ts")).keysCreate,
  "keys list": async () => (await import("./keys.ts")).keysList,
  "keys revoke": async () => (await import("./keys.ts")).keysRevoke,
};

/** The hook of `detect --notify`. */
export const loadCompletion = async () => (await import("../open/tell.ts")).openCompletion;
