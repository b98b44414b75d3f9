// The page of `detect --report`, as a file of its own, because few runs write one.

export { renderReport } from "../commands/detect/report/page.ts";
