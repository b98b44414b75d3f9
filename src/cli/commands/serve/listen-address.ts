// Which address `--host` means, and who reaches it. The system says so, once: what a spelling looks like decides nothing, for
// `127.1`, `0x7f000001` and `::ffff:127.0.0.1` are loopback addresses as well.

import { lookup } from "node:dns/promises";
import { AddrsiftError } from "../../../errors.ts";
import { isLoopbackAddress } from "../../../server/http/host-check.ts";

/** Where the daemon listens. */
export interface ListenAddress {
  /** In text form, never a name. */
  readonly address: string;
  /** Reached from this machine alone. */
  readonly loopback: boolean;
}

/** Looks up what `host` means on this machine. Throws AddrsiftError OPERATION when it means nothing. */
export async function findListenAddress(host: string, port: number): Promise<ListenAddress> {
  const { address } = await lookup(host).catch((error: unknown) => {
    throw listenError(error as NodeJS.ErrnoException, host, port);
  });
  return { address, loopback: isLoopbackAddress(address) };
}

/** Why nobody can listen on `host`, as a line that says how to mend it. */
export function listenError(error: NodeJS.ErrnoException, host: string, port: number): AddrsiftError {
  const reasons: Readonly<Record<string, string>> = {
    EADDRINUSE: "another program listens there, stop it or choose another --port",
    EACCES: "permission denied, choose a --port from 1024 up",
    EADDRNOTAVAIL: "this machine has no such address, choose another --host",
    ENOTFOUND: "there is no such host, give an address as --host",
  };
  const reason = reasons[error.code ?? ""] ?? `${error.message}, choose another --host or --port`;
  return new AddrsiftError("OPERATION", `can't listen on ${host} port ${port}: ${reason}`, error);
}
