// Scores the tools on each criterion that they claim to support, and formats the results as Markdown tables.

import { renderCount, renderShare, renderTable, score } from "./score.mjs";

const AGES = [0, 1, 2, 3, 6, 9, 12, 15];
const MONTH_MS = 30.44 * 86_400_000;

export async function reportSyntax(tools, { syntax }) {
  const rows = [];
  for (const { name, valid } of tools.filter((tool) => tool.valid !== undefined)) {
    const cells = [name];
    for (const [corpus, { plain, special, invalid }] of Object.entries(syntax)) {
      const isOwnCorpus = corpus === "emailValidator" && name === "email-validator (PyPI)";
      const isValid = isOwnCorpus ? undefined : valid;
      cells.push(await score(isValid, plain), await score(isValid, special), await score(isValid, invalid, false));
    }
    rows.push(cells.map((cell) => (typeof cell === "string" ? cell : renderCount(cell))));
  }
  const columns = ["valid accepted", "quoted or literal accepted", "faulty rejected"];
  const header = ["A", "B"].flatMap((corpus) => columns.map((column) => `${corpus}: ${column}`));
  return renderTable(["syntax", ...header], rows);
}

/** Scores each tool on each set of domains; undefined for a tool's own set. */
export async function scoreDisposable(tools, samples) {
  const scores = [];
  for (const { name, disposable, withoutCrawl, withoutCommunity } of tools.filter(
    (tool) => tool.disposable !== undefined,
  )) {
    const crawl = name === "fakefilter" ? undefined : (withoutCrawl ?? disposable);
    const providers = name.startsWith("is-burner-email") ? undefined : disposable;
    scores.push({
      name,
      reports: await score(withoutCommunity ?? disposable, samples.reports),
      crawl: await score(crawl, samples.crawl.live),
      providers: await score(providers, samples.providers),
      companies: await score(disposable, samples.companies),
      sites: await score(disposable, samples.sites),
      universities: await score(disposable, samples.universities),
      relays: await score(disposable, [...new Set(Object.values(samples.relays).flat())]),
    });
  }
  return scores;
}

export function reportDisposable(scores, { crawl, since }) {
  const recall = renderTable(
    ["disposable domains found", `reported after ${since}`, `handed out and live, ${crawl.end}`],
    scores.map(({ name, reports, crawl: live }) => [name, renderShare(reports), renderShare(live)]),
  );
  const alarms = renderTable(
    ["wrongly called disposable", "mailbox providers", "companies", "most linked sites", "universities", "relays"],
    scores.map((s) => [s.name, ...[s.providers, s.companies, s.sites, s.universities, s.relays].map(renderCount)]),
  );
  return `${recall}\n\n${alarms}`;
}

export async function reportRelays(tools, { relays }) {
  const rows = [];
  for (const { name, relay } of tools.filter((tool) => tool.relay !== undefined)) {
    const relayUnlessOwn = (list) => (name.startsWith(list) ? undefined : relay);
    const burner = await score(relayUnlessOwn("is-burner-email"), relays.burner);
    rows.push([name, burner, await score(relayUnlessOwn("@emailalias"), relays.emailalias)]);
  }
  return renderTable(
    ["relays recognized", "of is-burner-email's", "of @emailalias's"],
    rows.map(([name, ...cells]) => [name, ...cells.map(renderCount)]),
  );
}

export async function reportFreemail(tools, { providers, common, companies }) {
  const rows = [];
  for (const { name, freemail } of tools.filter((tool) => tool.freemail !== undefined)) {
    const commonScore = await score(name === "email-providers" ? undefined : freemail, common);
    const wrong = renderCount(await score(freemail, companies));
    rows.push([name, renderShare(await score(freemail, providers)), renderShare(commonScore), wrong]);
  }
  return renderTable(
    ["mailbox providers recognized", "is-burner-email's", "email-providers' common", "companies called providers"],
    rows,
  );
}

/** Scores canonical forms: equal for two addresses of one mailbox, different for two mailboxes. */
export async function reportCanonical(tools, { pairs }) {
  const same = pairs.filter((pair) => pair.same);
  const different = pairs.filter((pair) => !pair.same);
  const rows = [];
  for (const { name, canonical } of tools.filter((tool) => tool.canonical !== undefined)) {
    const joins = ({ one, other }) => canonical(one) === canonical(other);
    rows.push([name, renderCount(await score(joins, same)), renderCount(await score(joins, different, false))]);
  }
  return renderTable(["canonical form", "same mailbox, same form", "different mailboxes, different forms"], rows);
}

/** Measures how lists age: the share of the domains live at the crawl's end that a list of some months before had. */
export function scoreAging({ lists, crawl }) {
  const n = crawl.live.length;
  const share = (hits) => ({ hits, n, percent: (hits / n) * 100 });
  const newest = lists.at(-1);
  const frozen = AGES.map((months) => ({ months, ...share(crawl.seenBefore(months)) }));
  const shareOfList = ({ names }) => {
    const listed = new Set(names);
    return share(crawl.live.filter((domain) => listed.has(domain)).length);
  };
  const community = lists
    .map((list) => ({ months: monthsBetween(list.date, crawl.end), ...shareOfList(list) }))
    .filter(({ months }) => months >= 0 && months <= AGES.at(-1));
  const ownNames = lists
    .map(({ date, names }) => ({
      months: monthsBetween(date, newest.date),
      n: newest.names.length,
      hits: overlap(names, newest.names),
    }))
    .map((point) => ({ ...point, percent: (point.hits / point.n) * 100 }));
  return { frozen, community, ownNames: ownNames.filter(({ months }) => months <= 24) };
}

function overlap(names, others) {
  const nameSet = new Set(names);
  return others.filter((name) => nameSet.has(name)).length;
}

function monthsBetween(from, to) {
  return (Date.parse(to) - Date.parse(from)) / MONTH_MS;
}

export function reportAging({ frozen, community, ownNames }) {
  const line = ({ months, percent }) => `${months.toFixed(months % 1 === 0 ? 0 : 1)}: ${percent.toFixed(0)} %`;
  const lines = (points) =>
    points
      .toSorted((a, b) => a.months - b.months)
      .map(line)
      .join(", ");
  return renderTable(
    ["share found, by the age of the list in months", ""],
    [
      ["of live domains: a list with every domain from its first day, without later updates", lines(frozen)],
      ["of live domains: the community's list", lines(community)],
      ["of the community's newest list: its older releases", lines(ownNames)],
    ],
  );
}
