// What the commands of channels open: the team's records, or notifications too.

import type { Channels } from "../../../channels/channels.ts";
import { AddrsiftError } from "../../../errors.ts";
import { teamFault } from "../../../store/names.ts";
import { type ChannelServices, type NotifyOptions, openChannelServices } from "../../open/channels.ts";
import { lazyLists } from "../../open/lists.ts";
import { readPublicUrl } from "../../open/public-url.ts";
import { addressPorts, openChannels, openStore } from "../../open/records.ts";
import type { GlobalOptions } from "../../options/shared.ts";
import type { Runtime } from "../../runtime.ts";
import { warn } from "../../terminal/say.ts";

/** The options that every command of channels has. */
export type TeamOptions = GlobalOptions & { readonly team: string };

/** The team's channels, for commands that send nothing. Throws AddrsiftError USAGE. */
export function openRecords(
  options: TeamOptions,
  runtime: Runtime,
): { readonly channels: Channels; readonly team: string } {
  const addresses = addressPorts(runtime, lazyLists(options, runtime));
  return { channels: openChannels(openStore(options, runtime), addresses, runtime), team: teamOf(options) };
}

/** The team's notifications. Throws AddrsiftError USAGE for wrong settings. */
export function openTeam(
  options: TeamOptions & NotifyOptions,
  runtime: Runtime,
): { readonly team: string } & ChannelServices {
  const team = teamOf(options);
  const publicUrl = readPublicUrl(runtime.env["ADDRSIFT_PUBLIC_URL"] ?? "")?.href;
  const settings = {
    publicUrl,
    lists: lazyLists(options, runtime),
    warn: (line: string) => warn(runtime, line),
    attended: true,
    handsBack: true,
  };
  return { team, ...openChannelServices(options, runtime, openStore(options, runtime), settings) };
}

function teamOf({ team }: TeamOptions): string {
  const fault = teamFault(team);
  if (fault !== undefined) throw new AddrsiftError("USAGE", `--team ${fault}`);
  return team;
}
