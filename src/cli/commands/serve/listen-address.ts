// Which address `--host` means, and who can reach it. The system resolves it, once. Its spelling decides nothing: `127.1`,
// `0x7f000001` and `::ffff:127.0.0.1` are loopback addresses as well.

import { lookup } from "node:dns/promises";
import { AddrsiftError } from "../../../base/errors.ts";
import { isLoopbackAddress } from "../../../base/ip.ts";

/** Where the daemon listens. */
export interface ListenAddress {
  /** In text form, never a name. */
  readonly address: string;
  /** Only this machine can reach it. */
  readonly loopback: boolean;
}

/** Resolves `host` on this machine. Throws AddrsiftError OPERATION when that fails. */
export async function findListenAddress(host: string, port: number): Promise<ListenAddress> {
  const { address } = await lookup(host).catch((error: unknown) => {
    throw listenError(error as NodeJS.ErrnoException, host, port);
  });
  return { address, loopback: isLoopbackAddress(address) };
}

/** Why the daemon can't listen on `host`, as a line that says how to fix it. */
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
