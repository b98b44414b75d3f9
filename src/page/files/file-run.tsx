// A file while it is classified, and when it is done: progress, the chart of classes, and what can be taken away: all
// rows, or those of some classes.

import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { counted, escapeInvisible } from "../../base/shown.ts";
import { irregularLines } from "../../bulk/rows/irregularities.ts";
import { problemOf, sentence } from "../common/api.ts";
import { Bars, CopyFold } from "../common/copy.tsx";
import { useSession } from "../common/session.tsx";
import { type Bar, classBars, shownSize, shownSpan } from "../common/text.ts";
import { classifyFile, type FileProgress, type FileResult, type Wanted } from "./classify-file.ts";
import { FORM, type OpenedFile } from "./look.ts";

const SHOWN_EVERY_MS = 200;

interface JobProps {
  readonly looked: OpenedFile;
  readonly dns: boolean;
}

/** How a run ended. */
type Ending =
  | (FileResult & { readonly url: string; readonly takenOutUrl: string | undefined })
  | { readonly problem: string };

export function FileRun({ looked, dns, onEnd }: JobProps & { readonly onEnd: () => void }): ComponentChildren {
  const { file } = looked;
  const run = useRun({ looked, dns, wanted: "all" });
  const { progress, ending, seconds } = run;
  const bars = classBars(progress.classes);
  const useless = (progress.classes["valid"] ?? 0) === 0;
  const rows = counted(progress.rows, "row", "rows");
  return (
    <section class="card" aria-labelledby="run-title">
      <h2 id="run-title">
        <bdi>{escapeInvisible(file.name)}</bdi> <small>{shownSize(file.size)}</small>
      </h2>
      <RunState {...run} size={file.size}>
        {useless ? (
          <p class="verdict warn">
            {progress.rows === 0
              ? "The file has no rows."
              : `None of ${rows} has a valid address: is this the right file, and the right column?`}
          </p>
        ) : (
          <p class="verdict good">
            <strong>Done.</strong> {rows} in {shownSpan(Math.ceil(seconds))}.
          </p>
        )}
      </RunState>
      {ending !== undefined && (
        <p class="row">
          <Download looked={looked} ending={ending} what="classified" />
          <button type="button" class="quiet" onClick={onEnd}>
            Another file
          </button>
        </p>
      )}
      <Bars bars={bars} total={progress.rows} />
      <p class="note">A row can be in several classes.</p>
      {ending !== undefined &&
        "irregular" in ending &&
        irregularLines(ending.irregular, FORM).map((line) => (
          <p key={line} class="note">
            {sentence(line)}
          </p>
        ))}
      {ending !== undefined && "url" in ending && (
        <>
          <CleanRows looked={looked} dns={dns} />
          <SomeRows looked={looked} dns={dns} bars={bars} />
          <CopyFold
            title="Counts as JSON"
            button={true}
            text={JSON.stringify({ rows: progress.rows, ...progress.classes }, undefined, 2)}
          />
        </>
      )}
    </section>
  );
}

/** A button for the list that people take to their mail program: the file is classified once more. */
function CleanRows(props: JobProps): ComponentChildren {
  const [wanted, setWanted] = useState(false);
  if (wanted) return <WantedRows {...props} wanted="clean" what="clean" />;
  return (
    <p class="row">
      <button type="button" onClick={() => setWanted(true)}>
        Clean list
      </button>
      <span class="note">Valid addresses that are not disposable, each once; and what was taken out, and why.</span>
    </p>
  );
}

/** A form for the rows of some classes: the file is classified once more, and the daemon gives only those. */
function SomeRows({ looked, dns, bars }: JobProps & { readonly bars: readonly Bar[] }): ComponentChildren {
  const [classes, setClasses] = useState(bars.filter(({ tone }) => tone === "bad").map(({ word }) => word));
  const [but, setBut] = useState(false);
  const [wanted, setWanted] = useState<Exclude<Wanted, string>>();
  const submit = (event: Event): void => {
    event.preventDefault();
    setWanted({ classes, but });
  };
  return (
    <details class="fold">
      <summary>Only some rows</summary>
      <form onSubmit={submit} onInput={() => setWanted(undefined)}>
        <fieldset class="row">
          <legend>Rows</legend>
          {[false, true].map((value) => (
            <label key={String(value)} class="tick">
              <input type="radio" name="but" checked={but === value} onChange={() => setBut(value)} />{" "}
              {value ? "all but those that are one of" : "that are one of"}
            </label>
          ))}
        </fieldset>
        <fieldset class="row">
          <legend>Classes</legend>
          {bars.map(({ name, word }) => (
            <label key={word} class="tick">
              <input
                type="checkbox"
                checked={classes.includes(word)}
                onChange={({ currentTarget }) =>
                  setClasses(currentTarget.checked ? [...classes, word] : classes.filter((other) => other !== word))
                }
              />{" "}
              {name}
            </label>
          ))}
        </fieldset>
        {wanted === undefined && (
          <button type="submit" disabled={classes.length === 0}>
            Get these rows
          </button>
        )}
      </form>
      {wanted !== undefined && (
        <WantedRows
          looked={looked}
          dns={dns}
          wanted={wanted}
          what={(wanted.but ? ["but", ...wanted.classes] : wanted.classes).join("-")}
        />
      )}
    </details>
  );
}

function WantedRows(props: JobProps & { readonly wanted: Wanted; readonly what: string }): ComponentChildren {
  const { looked, what } = props;
  const run = useRun(props);
  const { ending } = run;
  return (
    <>
      <RunState {...run} size={looked.file.size} />
      {ending !== undefined && (
        <p class="row">
          <Download looked={looked} ending={ending} what={what} />
          {"takenOutUrl" in ending && ending.takenOut !== undefined && (
            <Download
              looked={looked}
              ending={{ ...ending, blob: ending.takenOut, url: ending.takenOutUrl ?? "" }}
              what="taken-out"
            />
          )}
        </p>
      )}
    </>
  );
}

interface StateProps extends Run {
  readonly size: number;
  readonly children?: ComponentChildren;
}

/** The progress of a run with a button that stops it, its problem, or its children when it is done. */
function RunState({ progress, ending, seconds, cancel, size, children }: StateProps): ComponentChildren {
  return (
    <>
      {ending === undefined && (
        <>
          <progress max={Math.max(1, size)} value={progress.bytes} aria-label="Part of the file that is done" />
          <p class="note">{progressText(progress, size, seconds)}</p>
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
        {ending !== undefined && "url" in ending && children}
      </div>
    </>
  );
}

function Download({
  looked: { file, choice },
  ending,
  what,
}: {
  readonly looked: OpenedFile;
  readonly ending: Ending;
  readonly what: string;
}): ComponentChildren {
  if ("problem" in ending) return null;
  const begin = file.name.replace(/\.gz$/i, "").replace(/\.[^.]{1,8}$/, "");
  const name = `${begin}-${what}.${choice.kind === "jsonl" ? "jsonl" : "csv"}`;
  return (
    <a class="button main" href={ending.url} download={name}>
      Download {name} ({shownSize(ending.blob.size)})
    </a>
  );
}

const NOTHING: FileProgress = { bytes: 0, rows: 0, classes: {} };

interface Run {
  readonly progress: FileProgress;
  readonly ending: Ending | undefined;
  readonly seconds: number;
  readonly cancel: () => void;
}

/** Runs once. What it made is let go when the view no longer shows it. */
function useRun({ looked, dns, wanted }: JobProps & { readonly wanted: Wanted }): Run {
  const { api } = useSession();
  const [progress, setProgress] = useState(NOTHING);
  const [ending, setEnding] = useState<Ending>();
  const [seconds, setSeconds] = useState(0);
  const stop = useRef(new AbortController());
  useEffect(() => {
    const { signal } = stop.current;
    const begun = performance.now();
    let shownAt = 0;
    const urls: string[] = [];
    const urlOf = (blob: Blob): string => {
      const url = URL.createObjectURL(blob);
      urls.push(url);
      return url;
    };
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
    classifyFile(api, { ...looked, dns, wanted, signal, onProgress })
      .then(
        (result) => {
          const { blob, takenOut } = result;
          setEnding({ ...result, url: urlOf(blob), takenOutUrl: takenOut && urlOf(takenOut) });
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
      for (const url of urls) URL.revokeObjectURL(url);
    };
  }, []);
  return { progress, ending, seconds, cancel: () => stop.current.abort() };
}

function progressText({ bytes, rows }: FileProgress, size: number, seconds: number): string {
  const left = bytes > 0 ? (seconds * (size - bytes)) / bytes : undefined;
  const parts = [`${shownSize(bytes)} of ${shownSize(size)}`, counted(rows, "row", "rows")];
  if (left !== undefined && seconds > 2) parts.push(`about ${shownSpan(Math.ceil(left))} left`);
  return parts.join(" · ");
}
