// What the page is told of its daemon when it is made. It never changes while the daemon runs. Types only.

import type { Asked } from "../server/routes/page.ts";

export interface PageFacts {
  readonly version: string;
  /** Detection needs no key here. */
  readonly open: boolean;
  /** Whether the daemon asks DNS at all. */
  readonly dns: boolean;
}

/** What the browser runs and shows, as the build made it. */
export interface PageAssets {
  readonly script: string;
  readonly style: string;
}

/** What the server and the browser draw the page from. */
export interface PageState {
  readonly facts: PageFacts;
  readonly asked?: Asked;
}
