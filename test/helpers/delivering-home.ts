// A home whose channels deliver to a receiver on loopback, and daemons that use it.

import { join } from "node:path";
import { type Daemon, startDaemon } from "./daemon.ts";
import { type Receiver, startReceiver } from "./receiver.ts";
import { scratch } from "./run.ts";

export interface DeliveringHome {
  readonly home: string;
  /** The parent folder of the home, for other files of a test. */
  readonly files: ReturnType<typeof scratch>;
  readonly receiver: Receiver;
  /** Starts a daemon with this home. */
  serve(): Promise<Daemon>;
  /** Kills the daemons and removes everything. */
  close(): Promise<void>;
}

export async function openDeliveringHome(): Promise<DeliveringHome> {
  const files = scratch();
  const home = join(files.path, "home");
  const receiver = await startReceiver();
  const daemons: Daemon[] = [];
  return {
    home,
    files,
    receiver,
    async serve() {
      const daemon = await startDaemon(["--dns", "off", "--allow-private", "127.0.0.0/8"], { home });
      daemons.push(daemon);
      return daemon;
    },
    async close() {
      for (const daemon of daemons) await daemon.stop("SIGKILL");
      await receiver.close();
      files.remove();
    },
  };
}
