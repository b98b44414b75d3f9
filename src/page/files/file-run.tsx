// A file while it is classified, and when it is done: progress, the chart of classes, and the file to take away.

import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { counted, escapeInvisible } from "../../base/shown.ts";
import { problemOf } from "../common/api.ts";
import { Bars, CopyFold } from "../common/copy.tsx";
import { useSession } from "../common/session.tsx";
import { classBars, shownSize, shownSpan } from "../common/text.ts";
import { classifyFile, type FileProgress } from "./classify-file.ts";
import type { Beginning, Layout } from "./look.ts";

const SHOWN_EVERY_MS = 200;

interface RunProps {
  readonly file: File;
  readonly beginning: Beginning;
  readonly layout: Layout;
  readonly dns: boolean;
  readonly onEnd: () => void;
}

/** How a run ended. */
type Ending = { readonly url: string; readonly size: number } | { readonly problem: string };

export function FileRun(props: RunProps): ComponentChildren {
  const { file, onEnd } = props;
  const { progress, ending, seconds, cancel } = useRun(props);
  const useless = (progress.classes["valid"] ?? 0) === 0;
  const whole = ending !== undefined && "url" in ending;
  return (
    <section class="card" aria-labelledby="run-title">
      <h2 id="run-title">
        <bdi>{escapeInvisible(file.name)}</bdi> <small>{shownSize(file.size)}</small>
      </h2>
      {ending === undefined && (
        <>
          <progress max={Math.max(1, file.size)} value={progress.octets} aria-label="Part of the file that is done" />
          <p class="note">{progressText(progress, file.size, seconds)}</p>
          <p>
            <button type="button" onClick={cancel}>
              Stop
            </button>
          </p>
        </>
      )}
      <div role="status">
        {ending === undefined && <span class="hidden-text">The file is being classified.</span>}
        {ending !== undefined && "problem" in ending && (
          <p class="problem">
            Stopped after {counted(progress.rows, "row", "rows")}: {ending.problem}
          </p>
        )}
        {whole && (
          <p class={`verdict ${useless ? "warn" : "good"}`}>
            {useless ? (
              `None of ${counted(progress.rows, "row", "rows")} has a valid address: is this the right file, and the right column?`
            ) : (
              <>
                <strong>Done.</strong> {counted(progress.rows, "row", "rows")} in {shownSpan(seconds)}.
              </>
            )}
          </p>
        )}
      </div>
      {ending !== undefined && (
        <p class="row">
          {whole && (
            <a class="button main" href={ending.url} download={outputName(file.name)}>
              Download {outputName(file.name)} ({shownSize(ending.size)})
            </a>
          )}
          <button type="button" class="quiet" onClick={onEnd}>
            Another file
          </button>
        </p>
      )}
      <Bars bars={classBars(progress.classes)} total={progress.rows} />
      <p class="note">A row can be in several classes.</p>
      {whole && (
        <CopyFold
          title="Counts as JSON"
          button={true}
          text={JSON.stringify({ rows: progress.rows, ...progress.classes }, undefined, 2)}
        />
      )}
    </section>
  );
}

const NOTHING: FileProgress = { octets: 0, rows: 0, classes: {} };

interface RunState {
  readonly progress: FileProgress;
  readonly ending: Ending | undefined;
  readonly seconds: number;
  readonly cancel: () => void;
}

/** Runs once. What it made is let go when the view no longer shows it. */
function useRun({ file, beginning, layout, dns }: RunProps): RunState {
  const { api } = useSession();
  const [progress, setProgress] = useState(NOTHING);
  const [ending, setEnding] = useState<Ending>();
  const [seconds, setSeconds] = useState(0);
  const stop = useRef(new AbortController());
  useEffect(() => {
    const { signal } = stop.current;
    const begun = performance.now();
    let shownAt = 0;
    let url: string | undefined;
    const show = (latest: FileProgress): void => {
      setProgress(latest);
      setSeconds((performance.now() - begun) / 1000);
    };
    let latest = NOTHING;
    const onProgress = (now: FileProgress): void => {
      latest = now;
      if (performance.now() - shownAt < SHOWN_EVERY_MS) return;
      shownAt = performance.now();
      show(now);
    };
    const warn = (event: Event): void => event.preventDefault();
    addEventListener("beforeunload", warn);
    classifyFile(api, { file, beginning, layout, dns, signal, onProgress })
      .then(
        (blob) => {
          url = URL.createObjectURL(blob);
          setEnding({ url, size: blob.size });
        },
        (failure) => setEnding({ problem: signal.aborted ? "you stopped it." : problemOf(failure) }),
      )
      .finally(() => {
        removeEventListener("beforeunload", warn);
        show(latest);
      });
    return () => {
      stop.current.abort();
      removeEventListener("beforeunload", warn);
      if (url !== undefined) URL.revokeObjectURL(url);
    };
  }, []);
  return { progress, ending, seconds, cancel: () => stop.current.abort() };
}

function progressText({ octets, rows }: FileProgress, size: number, seconds: number): string {
  const left = octets > 0 ? (seconds * (size - octets)) / octets : undefined;
  const parts = [`${shownSize(octets)} of ${shownSize(size)}`, counted(rows, "row", "rows")];
  if (left !== undefined && seconds > 2) parts.push(`about ${shownSpan(Math.ceil(left))} left`);
  return parts.join(" · ");
}

/** `list.csv.gz` becomes `list-classified.csv`. */
function outputName(name: string): string {
  return `${name.replace(/\.gz$/i, "").replace(/\.[^.]{1,8}$/, "")}-classified.csv`;
}
