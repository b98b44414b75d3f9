// The page for people, loaded from its own files of the build when a browser asks for it.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { PageFacts } from "../../../page/facts.ts";
import type { Page } from "../../../server/routes/page.ts";
import type { Runtime } from "../../runtime.ts";

/** Gives the page, made once. */
export function openPage(runtime: Runtime, facts: PageFacts): () => Page {
  const asset = (name: string): string => readFileSync(join(runtime.root, "dist/page", name), "utf8");
  let page: Page | undefined;
  return () => {
    page ??= runtime.bundle("page").createPage(facts, {
      script: asset("page.js"),
      style: asset("page.css"),
    });
    return page;
  };
}
