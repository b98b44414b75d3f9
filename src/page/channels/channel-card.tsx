// One channel: what it is, its test, and its deliveries when they are asked for.

import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { escapeInvisible } from "../../base/shown.ts";
import type { ShownChannel } from "../../channels/config/redaction.ts";
import { problemOf } from "../common/api.ts";
import { useSession } from "../common/session.ts";
import { shownTime } from "../common/text.ts";
import { Deliveries } from "./deliveries.tsx";
import { channelPath } from "./paths.ts";

interface CardProps {
  readonly channel: ShownChannel;
  readonly onChange: () => Promise<void>;
}

export function ChannelCard({ channel, onChange }: CardProps): ComponentChildren {
  const { id, name, type, config, is_verified: verified, created_at: created } = channel;
  const { events } = config as { readonly events?: readonly string[] };
  const paused = (config as { readonly enabled?: boolean }).enabled === false;
  return (
    <article class="card" aria-labelledby={id}>
      <h2 id={id}>
        <bdi>{escapeInvisible(name)}</bdi>
      </h2>
      <ul class="chips" aria-label="State">
        <li class="chip plain">{type}</li>
        <li class={`chip ${verified ? "good" : "warn"}`}>{verified ? "verified" : "not verified"}</li>
        {paused && <li class="chip warn">paused</li>}
      </ul>
      <dl class="facts">
        <div>
          <dt>Sends to</dt>
          <dd>
            <bdi class="address">{escapeInvisible(targetOf(channel))}</bdi>
          </dd>
        </div>
        <div>
          <dt>Events</dt>
          <dd>{events === undefined ? "all" : events.join(", ")}</dd>
        </div>
        <div>
          <dt>Since</dt>
          <dd>{shownTime(created)}</dd>
        </div>
      </dl>
      <Actions channel={channel} onChange={onChange} />
      <Deliveries channelId={id} />
    </article>
  );
}

/** The address, or the host of a URL: what follows it is a secret. */
function targetOf({ config }: ShownChannel): string {
  const { address, url } = config as { readonly address?: string; readonly url?: string };
  if (address !== undefined) return address;
  return url === undefined ? "nothing yet: its config is missing" : (URL.parse(url)?.origin ?? url);
}

function Actions({ channel, onChange }: CardProps): ComponentChildren {
  const { api } = useSession();
  const [said, setSaid] = useState<{ readonly text: string; readonly failed: boolean }>();
  const [busy, setBusy] = useState(false);
  const [sure, setSure] = useState(false);
  const run = async (method: string, path: string): Promise<void> => {
    if (busy) return;
    setBusy(true);
    setSaid({ text: "Please wait…", failed: false });
    try {
      const { message } = await api.json<{ message: string }>(method, path);
      setSaid({ text: message, failed: false });
    } catch (failure) {
      setSaid({ text: problemOf(failure), failed: true });
    }
    setBusy(false);
    await onChange();
  };
  const { id, type, is_verified: verified } = channel;
  return (
    <>
      <div class="row">
        <button type="button" onClick={() => run("POST", channelPath(id, "/test"))}>
          Send a test
        </button>
        {type === "email" && !verified && (
          <button type="button" class="quiet" onClick={() => run("POST", channelPath(id, "/verification"))}>
            Mail the link again
          </button>
        )}
        {!sure && (
          <button type="button" class="quiet" onClick={() => setSure(true)}>
            Delete
          </button>
        )}
        {sure && (
          <>
            <button type="button" class="danger" onClick={() => run("DELETE", channelPath(id))}>
              Delete for good
            </button>
            <button type="button" class="quiet" onClick={() => setSure(false)}>
              Keep it
            </button>
          </>
        )}
      </div>
      <p role="status" class={said?.failed === true ? "problem" : "note"}>
        {said?.text}
      </p>
    </>
  );
}
