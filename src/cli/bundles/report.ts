// The page of `detect --report`, as a file of its own, because it holds the library that draws the charts.

export { renderReport } from "../commands/detect/report/page.ts";
