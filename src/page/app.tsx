// Renders the page: navigation, views and the daemon's status.

import type { ComponentChildren } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { ChannelsView } from "./channels/channels-view.tsx";
import { CheckView } from "./check/check-view.tsx";
import { Api, CHANNELS_PATH, errorMessage, pageBase } from "./common/api.ts";
import { Session, type SessionValue, useSession } from "./common/session.tsx";
import { describeListsAge } from "./common/text.ts";
import type { PageFacts } from "./facts.ts";
import { FilesView } from "./files/files-view.tsx";

const VIEWS = [
  ["check", "Check"],
  ["files", "Files"],
  ["channels", "Channels"],
] as const;

export function App({ facts }: { readonly facts: PageFacts }): ComponentChildren {
  const [view, setView] = useState(viewFromHash(location.hash));
  const main = useRef<HTMLElement>(null);
  const session = useKeySession(facts);
  useEffect(() => {
    addEventListener("hashchange", () => {
      setView(viewFromHash(location.hash));
      main.current?.focus();
    });
  }, []);

  return (
    <Session.Provider value={session}>
      <TopBar view={view} />
      <main ref={main} tabIndex={-1}>
        {/* Hidden, not removed, so that typed text and a new secret stay. */}
        <div hidden={view !== "check"}>
          <CheckView />
        </div>
        <div hidden={view !== "files"}>
          <FilesView />
        </div>
        <div hidden={view !== "channels"}>
          <ChannelsView />
        </div>
      </main>
      <footer>
        <StatusLine />
        <p>
          addrsift {facts.version} · This page stores nothing and loads nothing from elsewhere. · API:{" "}
          <a href="openapi.json">openapi.json</a>, <code>man addrsift-serve</code>
        </p>
      </footer>
    </Session.Provider>
  );
}

/** Keeps the API key and what is known about it. */
function useKeySession(facts: PageFacts): SessionValue {
  const [key, setKey] = useState<string>();
  const [keyProblem, setKeyProblem] = useState<string>();
  const [scopes, setScopes] = useState<readonly string[]>();
  const api = useMemo(() => new Api(pageBase(location), key, setKeyProblem), [key]);
  // Views get the key after this request, so that the daemon counts a wrong one only once. A missing scope is reported
  // by the views that need it.
  const replaceKey = async (key: string | undefined): Promise<void> => {
    setKey(undefined);
    setKeyProblem(undefined);
    setScopes(undefined);
    if (key === undefined) return;
    const api = new Api(pageBase(location), key, setKeyProblem);
    const response = await api.json<{ scopes: string[] }>("GET", CHANNELS_PATH).catch(() => undefined);
    setScopes(response?.scopes);
    setKey(key);
  };
  return { facts, api, key, setKey: replaceKey, keyProblem, lacksScope: (scope) => scopes?.includes(scope) === false };
}

function TopBar({ view }: { readonly view: string }): ComponentChildren {
  return (
    <header class="top">
      <a class="name" href="#check">
        addrsift
      </a>
      <nav aria-label="Views">
        {VIEWS.map(([name, title]) => (
          <a key={name} href={`#${name}`} aria-current={view === name ? "page" : undefined}>
            {title}
          </a>
        ))}
      </nav>
    </header>
  );
}

function viewFromHash(hash: string): (typeof VIEWS)[number][0] {
  return VIEWS.find(([name]) => `#${name}` === hash)?.[0] ?? "check";
}

const STATUS_REFRESH_MS = 15_000;

function StatusLine(): ComponentChildren {
  const { api } = useSession();
  const [text, setText] = useState("");
  useEffect(() => {
    const refresh = (): void => {
      if (document.hidden) return;
      void api.json<{ data_version: string }>("GET", "readyz").then(
        ({ data_version }) => setText(describeListsAge(data_version, Date.now())),
        (failure) => setText(errorMessage(failure)),
      );
    };
    refresh();
    const timer = setInterval(refresh, STATUS_REFRESH_MS);
    return () => clearInterval(timer);
  }, [api]);
  return <p role="status">{text}</p>;
}
