// A file while it is classified, and its results: progress, charts and downloads.

import type { ComponentChildren, TargetedSubmitEvent } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { escapeInvisible, pluralize } from "../../base/format-text.ts";
import { irregularLines } from "../../bulk/rows/irregularities.ts";
import { sentence } from "../common/api.ts";
import { CopyFold } from "../common/copy.tsx";
import { Bars, DayLines } from "../common/figures.tsx";
import { Tick, useSession } from "../common/session.tsx";
import { useTask } from "../common/task.ts";
import { type Bar, classBars, shownSize, shownSpan } from "../common/text.ts";
import { classifyFile, type FileProgress, type FileResult } from "./classify-file.ts";
import { commandFor, type OpenedFile, PAGE_WORDING } from "./look.ts";
import type { Wanted } from "./row-lists.ts";

interface JobProps {
  readonly looked: OpenedFile;
  readonly dns: boolean;
}

export function FileRun({ looked, dns, onEnd }: JobProps & { readonly onEnd: () => void }): ComponentChildren {
  const { file } = looked;
  const run = useRun({ looked, dns, wanted: "all" });
  const { progress, result, seconds } = run;
  const bars = classBars(progress.classes);
  const useless = (progress.classes["valid"] ?? 0) === 0;
  const rows = pluralize(progress.rows, "row", "rows");
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
      {(result ?? run.problem) !== undefined && (
        <p class="row">
          {result !== undefined && <Download looked={looked} blob={result.blob} what="classified" />}
          <button type="button" class="quiet" onClick={onEnd}>
            Another file
          </button>
        </p>
      )}
      <Bars bars={bars} total={progress.rows} />
      <p class="note">A row can be in several classes.</p>
      {result !== undefined && (
        <>
          {irregularLines(result.irregular, PAGE_WORDING).map((line) => (
            <p key={line} class="note">
              {sentence(line)}
            </p>
          ))}
          {result.isPartial && <p class="note">Duplicates were found among the first 1,000,000 mailboxes only.</p>}
          <DayLines days={result.days} />
          <CleanRows looked={looked} dns={dns} />
          <SomeRows looked={looked} dns={dns} bars={bars.filter(({ word }) => word !== "duplicate")} />
          <CopyFold title="Command line" text={commandFor(looked, dns)} />
          <CopyFold
            title="Counts as JSON"
            text={JSON.stringify({ rows: progress.rows, ...progress.classes }, undefined, 2)}
          />
        </>
      )}
    </section>
  );
}

/** Classifies the file again for a clean list. */
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

/** Classifies the file again for rows of some classes. */
function SomeRows({ looked, dns, bars }: JobProps & { readonly bars: readonly Bar[] }): ComponentChildren {
  const [wanted, setWanted] = useState<Exclude<Wanted, string>>();
  const [none, setNone] = useState(bars.every(({ tone }) => tone !== "bad"));
  const change = (form: HTMLFormElement): void => {
    setWanted(undefined);
    setNone(!new FormData(form).has("class"));
  };
  const submit = (event: TargetedSubmitEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const chosen = new FormData(event.currentTarget);
    setWanted({ classes: chosen.getAll("class").map(String), but: chosen.get("but") === "true" });
  };
  return (
    <details class="fold">
      <summary>Only some rows</summary>
      <form onSubmit={submit} onInput={({ currentTarget }) => change(currentTarget)}>
        <fieldset class="row">
          <legend>Rows</legend>
          <Tick type="radio" name="but" value="false" defaultChecked>
            that are one of
          </Tick>
          <Tick type="radio" name="but" value="true">
            all but those that are one of
          </Tick>
        </fieldset>
        <fieldset class="row">
          <legend>Classes</legend>
          {bars.map(({ name, word, tone }) => (
            <Tick key={word} type="checkbox" name="class" value={word} defaultChecked={tone === "bad"}>
              {name}
            </Tick>
          ))}
        </fieldset>
        {wanted === undefined && (
          <button type="submit" disabled={none}>
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
  const { result } = run;
  return (
    <>
      <RunState {...run} size={looked.file.size} />
      {result !== undefined && (
        <p class="row">
          <Download looked={looked} blob={result.blob} what={what} />
          {result.takenOut !== undefined && <Download looked={looked} blob={result.takenOut} what="taken-out" />}
        </p>
      )}
    </>
  );
}

interface StateProps extends ReturnType<typeof useRun> {
  readonly size: number;
  readonly children?: ComponentChildren;
}

/** Progress with a stop button, a problem, or the children when it is done. */
function RunState({ progress, result, problem, seconds, cancel, size, children }: StateProps): ComponentChildren {
  const isRunning = (result ?? problem) === undefined;
  return (
    <>
      {isRunning && (
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
        {isRunning && <span class="hidden-text">The file is being classified.</span>}
        {problem !== undefined && (
          <p class="problem">
            Stopped after {pluralize(progress.rows, "row", "rows")}: {problem}
          </p>
        )}
        {result !== undefined && children}
      </div>
    </>
  );
}

interface DownloadProps {
  readonly looked: OpenedFile;
  readonly blob: Blob;
  readonly what: string;
}

/** The browser keeps the blob as long as the link is shown. */
function Download({ looked: { file, choice }, blob, what }: DownloadProps): ComponentChildren {
  const url = useMemo(() => URL.createObjectURL(blob), [blob]);
  useEffect(() => () => URL.revokeObjectURL(url), [url]);
  const begin = file.name.replace(/\.gz$/i, "").replace(/\.[^.]{1,8}$/, "");
  const name = `${begin}-${what}.${choice.kind === "jsonl" ? "jsonl" : "csv"}`;
  return (
    <a class="button main" href={url} download={name}>
      Download {name} ({shownSize(blob.size)})
    </a>
  );
}

const NOTHING: FileProgress = { bytes: 0, rows: 0, classes: {} };

/** Runs once, and ends with the view. It has neither result nor problem while it runs. */
function useRun({ looked, dns, wanted }: JobProps & { readonly wanted: Wanted }) {
  const { api } = useSession();
  const { value: result, problem, run } = useTask<FileResult>();
  const [{ progress, seconds }, setShown] = useState({ progress: NOTHING, seconds: 0 });
  const stop = useRef(new AbortController());
  useEffect(() => {
    const { signal } = stop.current;
    const begun = performance.now();
    // A few times in a second.
    const onProgress = (progress: FileProgress): void =>
      setShown({ progress, seconds: (performance.now() - begun) / 1000 });
    const warn = (event: Event): void => event.preventDefault();
    addEventListener("beforeunload", warn);
    const classified = classifyFile(api, { ...looked, dns, wanted, signal, onProgress }).catch((failure: unknown) => {
      throw signal.aborted ? new Error("you stopped it.") : failure;
    });
    void run(() => classified).then(() => removeEventListener("beforeunload", warn));
    return () => {
      stop.current.abort();
      removeEventListener("beforeunload", warn);
    };
  }, []);
  return { progress, result, problem, seconds, cancel: () => stop.current.abort() };
}

function progressText({ bytes, rows }: FileProgress, size: number, seconds: number): string {
  const parts = [`${shownSize(bytes)} of ${shownSize(size)}`, pluralize(rows, "row", "rows")];
  const left = Math.ceil((seconds * (size - bytes)) / bytes);
  if (bytes > 0 && seconds > 2) parts.push(`about ${shownSpan(left)} left`);
  return parts.join(" · ");
}
