// The line at the foot of the page: whether the daemon is ready, and how old its lists are. Counters are for /metrics.

import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { problemOf } from "./api.ts";
import { useSession } from "./session.ts";
import { shownLists } from "./text.ts";

const AGAIN_MS = 15_000;

export function StatusLine(): ComponentChildren {
  const { api } = useSession();
  const [text, setText] = useState("");
  useEffect(() => {
    let gone = false;
    const look = async (): Promise<void> => {
      if (document.hidden) return;
      const found = await api.json<{ data_version: string }>("GET", "readyz").then(
        ({ data_version }) => `The daemon is ready. ${shownLists(data_version, Date.now())}`,
        (failure) => `The daemon is not ready: ${problemOf(failure)}`,
      );
      if (!gone) setText(found);
    };
    void look();
    const timer = setInterval(() => void look(), AGAIN_MS);
    return () => {
      gone = true;
      clearInterval(timer);
    };
  }, [api]);
  return <p role="status">{text}</p>;
}
