// What the commands of channels open: the team's records, or notifications too.

import { AddrsiftError } from "../../../base/errors.ts";
import { teamFault } from "../../../base/names.ts";
import type { Channels } from "../../../channels/channels.ts";
import { type ChannelServices, type NotifyOptions, openChannelServices } from "../../open/channels.ts";
import { lazyKnown } from "../../open/overrides.ts";
import { readPublicUrl } from "../../open/public-url.ts";
import { addressPorts, openChannels } from "../../open/records.ts";
import { openStores } from "../../open/stores.ts";
import type { GlobalOptions } from "../../options/shared.ts";
import type { Runtime } from "../../runtime.ts";
import { warn } from "../../terminal/say.ts";

/** The options that every command of channels has. */
export type TeamOptions = GlobalOptions & { readonly team: string };

/** The team's channels, for commands that send nothing. Throws AddrsiftError USAGE. */
export async function openRecords(
  options: TeamOptions,
  runtime: Runtime,
): Promise<{ readonly channels: Channels; readonly team: string }> {
  const team = teamOf(options);
  const { records } = await openStores(options, runtime);
  const addresses = addressPorts(lazyKnown(options, runtime));
  return { channels: openChannels(records, addresses, runtime), team };
}

/** The team's notifications. Throws AddrsiftError USAGE for wrong settings. */
export async function openTeam(
  options: TeamOptions & NotifyOptions,
  runtime: Runtime,
): Promise<{ readonly team: string } & ChannelServices> {
  const team = teamOf(options);
  const publicUrl = readPublicUrl(runtime.env["ADDRSIFT_PUBLIC_URL"] ?? "")?.href;
  const settings = {
    publicUrl,
    known: lazyKnown(options, runtime),
    warn: (line: string) => warn(runtime, line),
    attended: true,
    handsBack: true,
  };
  return { team, ...openChannelServices(options, runtime, await openStores(options, runtime), settings) };
}

function teamOf({ team }: TeamOptions): string {
  const fault = teamFault(team);
  if (fault !== undefined) throw new AddrsiftError("USAGE", `--team ${fault}`);
  return team;
}
