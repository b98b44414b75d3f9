// The browser's side: takes over the page that the server made.

import { hydrate } from "preact";
import { App } from "./app.tsx";
import type { PageState } from "./facts.ts";

const root = document.getElementById("app") as HTMLElement;
const state = JSON.parse(document.getElementById("state")?.textContent ?? "") as PageState;
hydrate(<App {...state} />, root);
