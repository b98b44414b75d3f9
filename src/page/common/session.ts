// Values that all views share: the daemon's facts, the API, and the key, which is only in this page's memory.

import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { PageFacts } from "../facts.ts";
import { Api } from "./api.ts";

interface SessionValue {
  readonly facts: PageFacts;
  readonly api: Api;
  readonly key: string | undefined;
  readonly setKey: (key: string | undefined) => void;
}

const NONE: SessionValue = {
  facts: { version: "", open: true, dns: true },
  api: new Api("", undefined),
  key: undefined,
  setKey: () => {},
};

export const Session = createContext(NONE);

export function useSession(): SessionValue {
  return useContext(Session);
}
