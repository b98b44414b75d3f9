// How the daemon is: ready or not, its lists and their age, what DNS answers, what it has done. It looks again by itself while it is shown.

import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { shownNumber } from "../../../base/shown.ts";
import { ApiError, problemOf } from "../common/api.ts";
import { Bars } from "../common/bars.tsx";
import { useSession } from "../common/session.ts";
import { shownSpan, words } from "../common/text.ts";
import type { Tone } from "../common/tone.ts";
import { ageDays } from "./age.ts";
import { countsBy, type Metrics, onlyValue, readMetrics } from "./prometheus-text.ts";

const AGAIN_MS = 5000;
// People update lists about once a day; after this, many new services are missing.
const OLD_DAYS = 14;

/** What was found at the last look. */
interface Look {
  /** Why it is not ready; undefined when it is. */
  readonly notReady: string | undefined;
  readonly dataVersion: string | undefined;
  /** Undefined where the daemon shows no metrics to this browser. */
  readonly metrics: Metrics | undefined;
  readonly noMetrics: string | undefined;
}

export function StatusView(): ComponentChildren {
  const look = useLook();
  return (
    <section aria-labelledby="status-title">
      <h1 id="status-title">Status</h1>
      <p class="lead">How this daemon is. The page looks again every few seconds.</p>
      {look === undefined ? <p role="status">Looking…</p> : <Cards look={look} />}
    </section>
  );
}

function Cards({ look }: { readonly look: Look }): ComponentChildren {
  const { metrics } = look;
  return (
    <>
      <div class="tiles">
        <ReadyTile notReady={look.notReady} />
        <ListsTile dataVersion={look.dataVersion ?? metrics?.get("addrsift_info")?.[0]?.labels["data_version"]} />
        <AccessTile />
        {metrics !== undefined && <UptimeTile metrics={metrics} />}
      </div>
      {metrics === undefined ? (
        <p class="card">{look.noMetrics}</p>
      ) : (
        <div class="columns">
          <CountCard
            title="Addresses"
            none="No address was classified yet."
            metrics={metrics}
            name="addrsift_addresses_total"
            label="class"
          />
          <CountCard
            title="DNS answers"
            none="DNS was not asked yet."
            metrics={metrics}
            name="addrsift_dns_questions_total"
            label="status"
          />
          <CountCard title="Requests" none="" metrics={metrics} name="addrsift_http_requests_total" label="status" />
          <DeliveryCard metrics={metrics} />
        </div>
      )}
    </>
  );
}

function Tile({
  title,
  value,
  note,
  tone = "plain",
}: {
  readonly title: string;
  readonly value: string;
  readonly note: ComponentChildren;
  readonly tone?: Tone;
}): ComponentChildren {
  return (
    <div class={`card tile ${tone}`}>
      <h2>{title}</h2>
      <p class="value">{value}</p>
      <p class="note">{note}</p>
    </div>
  );
}

function ReadyTile({ notReady }: { readonly notReady: string | undefined }): ComponentChildren {
  return notReady === undefined ? (
    <Tile title="Daemon" value="Ready" note="Lists and records are fine." tone="good" />
  ) : (
    <Tile title="Daemon" value="Not ready" note={notReady} tone="bad" />
  );
}

function ListsTile({ dataVersion }: { readonly dataVersion: string | undefined }): ComponentChildren {
  const age = ageDays(dataVersion, Date.now());
  if (dataVersion === undefined || age === undefined)
    return <Tile title="Lists" value="Unknown" note="The daemon does not say." />;
  const old = age > OLD_DAYS;
  const value = age < 1 ? "Of today" : `${shownNumber(age)} ${age === 1 ? "day" : "days"} old`;
  const note = (
    <>
      {dataVersion}
      {old && (
        <>
          . Newer ones: <code>addrsift lists update</code>
        </>
      )}
    </>
  );
  return <Tile title="Lists" value={value} note={note} tone={old ? "warn" : "good"} />;
}

function AccessTile(): ComponentChildren {
  const { facts } = useSession();
  const key = facts.open ? "It needs no API key." : "It needs an API key.";
  const dns = facts.dns ? "DNS is asked about domains that no list knows." : "DNS is never asked.";
  return <Tile title="Detection" value={facts.open ? "Open" : "With a key"} note={`${key} ${dns}`} />;
}

function UptimeTile({ metrics }: { readonly metrics: Metrics }): ComponentChildren {
  const { facts } = useSession();
  const started = onlyValue(metrics, "process_start_time_seconds");
  const value = started === undefined ? "Running" : shownSpan(Math.max(0, Date.now() / 1000 - started));
  return <Tile title="Running for" value={value} note={`addrsift ${facts.version}`} />;
}

// What is a failure of ours or of name servers, and what is worth a look.
const TONES: Readonly<Record<string, Tone>> = {
  invalid: "bad",
  disposable: "bad",
  relay: "warn",
  ok: "good",
  implicit_mx: "good",
  timeout: "warn",
  servfail: "warn",
  refused: "warn",
  error: "warn",
};

interface CountProps {
  readonly title: string;
  readonly none: string;
  readonly metrics: Metrics;
  readonly name: string;
  readonly label: string;
}

function CountCard({ title, none, metrics, name, label }: CountProps): ComponentChildren {
  const counts = countsBy(metrics, name, label);
  const total = counts.reduce((sum, { count }) => sum + count, 0);
  return (
    <section class="card">
      <h2>
        {title} <small>since the start</small>
      </h2>
      {counts.length === 0 && <p class="note">{none}</p>}
      <Bars
        bars={counts.map((row) => ({ name: words(row.name), count: row.count, tone: toneOf(row.name) }))}
        total={total}
      />
    </section>
  );
}

function toneOf(name: string): Tone {
  if (/^5\d\d$/.test(name)) return "bad";
  return TONES[name] ?? "plain";
}

function DeliveryCard({ metrics }: { readonly metrics: Metrics }): ComponentChildren {
  const rows = [
    ["Waiting", onlyValue(metrics, "addrsift_deliveries_pending") ?? 0],
    ["Failed in the last 30 days", onlyValue(metrics, "addrsift_deliveries_failed") ?? 0],
    ["Channels", (metrics.get("addrsift_channels") ?? []).reduce((sum, { value }) => sum + value, 0)],
  ] as const;
  return (
    <section class="card">
      <h2>Notifications</h2>
      <dl class="facts">
        {rows.map(([name, count]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{shownNumber(count)}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

/** Looks at once and then again and again, while it is shown and the page can be seen. */
function useLook(): Look | undefined {
  const { api } = useSession();
  const [look, setLook] = useState<Look>();
  useEffect(() => {
    let gone = false;
    let hidden: string | undefined;
    const again = async (): Promise<void> => {
      if (document.hidden) return;
      const found = { ...(await readiness()), ...(await counters()) };
      if (!gone) setLook(found);
    };
    const readiness = async (): Promise<Pick<Look, "notReady" | "dataVersion">> => {
      try {
        const { data_version: dataVersion } = await api.json<{ data_version: string }>("GET", "readyz");
        return { notReady: undefined, dataVersion };
      } catch (failure) {
        return { notReady: problemOf(failure), dataVersion: undefined };
      }
    };
    const counters = async (): Promise<Pick<Look, "metrics" | "noMetrics">> => {
      // Who is not shown them once is not shown them later.
      if (hidden !== undefined) return { metrics: undefined, noMetrics: hidden };
      try {
        return { metrics: readMetrics(await api.text("metrics")), noMetrics: undefined };
      } catch (failure) {
        if (failure instanceof ApiError && failure.status === 404) hidden = problemOf(failure);
        return { metrics: undefined, noMetrics: hidden ?? "There are no counters now." };
      }
    };
    void again();
    const timer = setInterval(() => void again(), AGAIN_MS);
    return () => {
      gone = true;
      clearInterval(timer);
    };
  }, [api]);
  return look;
}
