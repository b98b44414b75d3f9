// Facts about the daemon, which the page gets when it is made. They never change while the daemon runs. Types only.

import type { Asked } from "../server/routes/page.ts";

export interface PageFacts {
  readonly version: string;
  /** Detection needs no key here. */
  readonly open: boolean;
  /** Whether the daemon asks DNS at all. */
  readonly dns: boolean;
}

/** Script and style for the browser, as the build made them. */
export interface PageAssets {
  readonly script: string;
  readonly style: string;
}

/** The state from which the server and the browser draw the page. */
export interface PageState {
  readonly facts: PageFacts;
  readonly asked?: Asked;
}
