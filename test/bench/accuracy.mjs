// Measures the accuracy of addrsift and of popular packages: syntax, disposable domains, false positives, relays,
// mailbox providers, canonical forms, and how fast a list ages. The inputs come from published packages; accuracy.md
// describes them and which tool each favors. --write updates its tables.
//   npm run build && npm run bench:accuracy [-- --write]

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { scratchFolder } from "../helpers/programs.mjs";
import * as criteria from "./accuracy/criteria.mjs";
import * as inputs from "./accuracy/inputs.mjs";
import { hasPython, openPython } from "./accuracy/python.mjs";
import { addrsift, asAddresses, classifyAll, npmTools, pythonTools } from "./accuracy/tools.mjs";

const NOTES = join(import.meta.dirname, "accuracy.md");
const FIGURES = /(<!-- figures -->\n)[\s\S]*(<!-- end of figures -->)/;

if (!hasPython()) throw new Error("bench:accuracy needs python3 with pip and venv: some of its inputs come from PyPI");
await main(openPython(scratchFolder("accuracy")));

async function main(python) {
  const samples = gatherInputs(python);
  const detections = await classifyAll([...samples.addresses, ...asAddresses(samples.domains)]);
  const tools = [addrsift(detections), ...(await npmTools()), ...pythonTools(python, samples)];
  const text = [
    await criteria.reportSyntax(tools, samples),
    criteria.reportDisposable(await criteria.scoreDisposable(tools, samples), samples),
    await criteria.reportRelays(tools, samples),
    await criteria.reportFreemail(tools, samples),
    await criteria.reportCanonical(tools, samples),
    criteria.reportAging(criteria.scoreAging(samples)),
  ].join("\n\n");
  console.log(text);
  if (!process.argv.includes("--write")) return;
  writeFileSync(
    NOTES,
    readFileSync(NOTES, "utf8").replace(FIGURES, (_, begin, end) => `${begin}\n${text}\n\n${end}`),
  );
}

/** Returns all inputs, and lists of all their addresses and domains. */
function gatherInputs(python) {
  const lists = python.lists();
  const burner = inputs.readBurner(python.burner());
  const syntax = inputs.syntaxCorpora(python.syntaxRows());
  const pairs = inputs.mailboxPairs();
  const relays = { burner: burner.relays, emailalias: inputs.emailaliasRelays() };
  const crawl = inputs.readCrawl();
  const sets = {
    reports: inputs.laterReports(lists),
    companies: inputs.companies(),
    sites: inputs.topSites(),
    universities: inputs.universities(),
    providers: burner.providers,
    common: inputs.commonProviders(lists),
  };
  const rows = Object.values(syntax).flatMap((corpus) => Object.values(corpus).flat());
  return {
    ...sets,
    lists,
    since: inputs.SNAPSHOT,
    syntax,
    crawl,
    relays,
    pairs,
    addresses: [...rows, ...pairs.flatMap(({ one, other }) => [one, other])],
    domains: [...Object.values(sets), ...Object.values(relays), crawl.live].flat(),
  };
}
