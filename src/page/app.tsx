// The frame of the page: its head, the way between its views, and the key that they share. The server draws the first view only.

import type { ComponentChildren } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { ChannelsView } from "./channels/channels-view.tsx";
import { CheckView } from "./check/check-view.tsx";
import { Api, pageBase } from "./common/api.ts";
import { Session } from "./common/session.ts";
import { StatusLine } from "./common/status-line.tsx";
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
    <Session.Provider value={{ facts, api, key, setKey }}>
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
        {/* Hidden, not taken away: what was typed and what came back stays. */}
        <div hidden={view !== "check"}>
          <CheckView asked={asked} running={running} />
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
