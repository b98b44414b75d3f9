// The frame of the page: views, key and status. The server draws the first view only.

import type { ComponentChildren } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { ChannelsView } from "./channels/channels-view.tsx";
import { CheckView } from "./check/check-view.tsx";
import { Api, pageBase, problemOf } from "./common/api.ts";
import { Session, useSession } from "./common/session.tsx";
import { shownLists } from "./common/text.ts";
import type { PageState } from "./facts.ts";
import { FilesView } from "./files/files-view.tsx";

const VIEWS = [
  ["check", "Check"],
  ["files", "Files"],
  ["channels", "Channels"],
] as const;
type ViewName = (typeof VIEWS)[number][0];

export function App({ facts, asked }: PageState): ComponentChildren {
  const [running, setRunning] = useState(false);
  const [view, setView] = useState<ViewName>("check");
  const [key, setKey] = useState<string>();
  const main = useRef<HTMLElement>(null);
  const api = useMemo(() => new Api(running ? pageBase(location) : "", key), [running, key]);

  useEffect(() => {
    const follow = (): void => setView(viewNamed(location.hash));
    setRunning(true);
    follow();
    addEventListener("hashchange", () => {
      follow();
      main.current?.focus();
    });
  }, []);

  return (
    <Session.Provider value={{ facts, running, api, key, setKey }}>
      <header class="top">
        <a class="name" href="#check">
          addrsift
        </a>
        {running && (
          <nav aria-label="Views">
            {VIEWS.map(([name, title]) => (
              <a key={name} href={`#${name}`} aria-current={view === name ? "page" : undefined}>
                {title}
              </a>
            ))}
          </nav>
        )}
      </header>
      <main ref={main} tabIndex={-1}>
        {/* Hidden views keep what was typed. */}
        <div hidden={view !== "check"}>
          <CheckView asked={asked} />
        </div>
        <div hidden={view !== "files"}>{running && <FilesView />}</div>
        {view === "channels" && <ChannelsView />}
      </main>
      <footer>
        {running && <StatusLine />}
        <p>
          addrsift {facts.version} · This page stores nothing and loads nothing from elsewhere. · The API:{" "}
          <a href="openapi.json">openapi.json</a>, <code>man addrsift-serve</code>
        </p>
      </footer>
    </Session.Provider>
  );
}

function viewNamed(hash: string): ViewName {
  return VIEWS.find(([name]) => `#${name}` === hash)?.[0] ?? "check";
}

const AGAIN_MS = 15_000;

function StatusLine(): ComponentChildren {
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
