// A file while it is classified, and its results: progress, charts and downloads.

import type { ComponentChildren, TargetedSubmitEvent } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { escapeInvisible, pluralize } from "../../base/format-text.ts";
import { formatRowWarnings } from "../../bulk/rows/row-warnings.ts";
import { toSentence } from "../common/api.ts";
import { BarChart, DayChart } from "../common/charts.tsx";
import { CopyDetails } from "../common/copy.tsx";
import { LabeledCheckbox, useSession } from "../common/session.tsx";
import { useTask } from "../common/task.ts";
import { type Bar, classBars, formatDuration, formatSize } from "../common/text.ts";
import { classifyFile, type FileProgress, type FileResult } from "./classify-file.ts";
import type { OutputSelection } from "./collect-rows.ts";
import { createCommandLine, type FilePreview, PAGE_WORDING } from "./preview.ts";

interface RunProps {
  readonly preview: FilePreview;
  readonly dns: boolean;
}

export function FileRun({ preview, dns, onEnd }: RunProps & { readonly onEnd: () => void }): ComponentChildren {
  const { file } = preview;
  const run = useClassification({ preview, dns, selection: "all" });
  const { progress, result, seconds } = run;
  const bars = classBars(progress.classes);
  const useless = (progress.classes["valid"] ?? 0) === 0;
  const rows = pluralize(progress.rows, "row", "rows");
  return (
    <section class="card" aria-labelledby="run-title">
      <h2 id="run-title">
        <bdi>{escapeInvisible(file.name)}</bdi> <small>{formatSize(file.size)}</small>
      </h2>
      <RunStatus {...run} size={file.size}>
        {useless ? (
          <p class="verdict warn">
            {progress.rows === 0
              ? "The file has no rows."
              : `None of ${rows} has a valid address: is this the right file, and the right column?`}
          </p>
        ) : (
          <p class="verdict good">
            <strong>Done.</strong> {rows} in {formatDuration(Math.ceil(seconds))}.
          </p>
        )}
      </RunStatus>
      {(result ?? run.problem) !== undefined && (
        <p class="row">
          {result !== undefined && <DownloadLink preview={preview} blob={result.blob} what="classified" />}
          <button type="button" class="quiet" onClick={onEnd}>
            Another file
          </button>
        </p>
      )}
      <BarChart bars={bars} total={progress.rows} />
      <p class="note">A row can be in several classes.</p>
      {result !== undefined && (
        <>
          {formatRowWarnings(result.irregular, PAGE_WORDING).map((line) => (
            <p key={line} class="note">
              {toSentence(line)}
            </p>
          ))}
          {result.isPartial && <p class="note">Duplicates were found among the first 1,000,000 mailboxes only.</p>}
          <DayChart days={result.days} />
          <CleanList preview={preview} dns={dns} />
          <RowsByClass preview={preview} dns={dns} bars={bars.filter(({ id }) => id !== "duplicate")} />
          <CopyDetails title="Command line" text={createCommandLine(preview, dns)} />
          <CopyDetails
            title="Counts as JSON"
            text={JSON.stringify({ rows: progress.rows, ...progress.classes }, undefined, 2)}
          />
        </>
      )}
    </section>
  );
}

/** Classifies the file again for a clean list. */
function CleanList(props: RunProps): ComponentChildren {
  const [selection, setSelection] = useState(false);
  if (selection) return <OutputRun {...props} selection="clean" what="clean" />;
  return (
    <p class="row">
      <button type="button" onClick={() => setSelection(true)}>
        Clean list
      </button>
      <span class="note">Valid addresses that are not disposable, each once; and what was taken out, and why.</span>
    </p>
  );
}

/** Classifies the file again for rows of some classes. */
function RowsByClass({ preview, dns, bars }: RunProps & { readonly bars: readonly Bar[] }): ComponentChildren {
  const [selection, setSelection] = useState<Exclude<OutputSelection, string>>();
  const [none, setNone] = useState(bars.every(({ tone }) => tone !== "bad"));
  const change = (form: HTMLFormElement): void => {
    setSelection(undefined);
    setNone(!new FormData(form).has("class"));
  };
  const submit = (event: TargetedSubmitEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const chosen = new FormData(event.currentTarget);
    setSelection({ classes: chosen.getAll("class").map(String), but: chosen.get("but") === "true" });
  };
  return (
    <details class="fold">
      <summary>Only some rows</summary>
      <form onSubmit={submit} onInput={({ currentTarget }) => change(currentTarget)}>
        <fieldset class="row">
          <legend>Rows</legend>
          <LabeledCheckbox type="radio" name="but" value="false" defaultChecked>
            that are one of
          </LabeledCheckbox>
          <LabeledCheckbox type="radio" name="but" value="true">
            all but those that are one of
          </LabeledCheckbox>
        </fieldset>
        <fieldset class="row">
          <legend>Classes</legend>
          {bars.map(({ name, id, tone }) => (
            <LabeledCheckbox key={id} type="checkbox" name="class" value={id} defaultChecked={tone === "bad"}>
              {name}
            </LabeledCheckbox>
          ))}
        </fieldset>
        {selection === undefined && (
          <button type="submit" disabled={none}>
            Get these rows
          </button>
        )}
      </form>
      {selection !== undefined && (
        <OutputRun
          preview={preview}
          dns={dns}
          selection={selection}
          what={(selection.but ? ["but", ...selection.classes] : selection.classes).join("-")}
        />
      )}
    </details>
  );
}

function OutputRun(
  props: RunProps & { readonly selection: OutputSelection; readonly what: string },
): ComponentChildren {
  const { preview, what } = props;
  const run = useClassification(props);
  const { result } = run;
  return (
    <>
      <RunStatus {...run} size={preview.file.size} />
      {result !== undefined && (
        <p class="row">
          <DownloadLink preview={preview} blob={result.blob} what={what} />
          {result.removed !== undefined && <DownloadLink preview={preview} blob={result.removed} what="taken-out" />}
        </p>
      )}
    </>
  );
}

interface StateProps extends ReturnType<typeof useClassification> {
  readonly size: number;
  readonly children?: ComponentChildren;
}

/** Progress with a stop button, a problem, or the children when it is done. */
function RunStatus({ progress, result, problem, seconds, cancel, size, children }: StateProps): ComponentChildren {
  const isRunning = (result ?? problem) === undefined;
  return (
    <>
      {isRunning && (
        <>
          <progress max={Math.max(1, size)} value={progress.bytes} aria-label="Part of the file that is done" />
          <p class="note">{formatProgress(progress, size, seconds)}</p>
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
  readonly preview: FilePreview;
  readonly blob: Blob;
  readonly what: string;
}

/** The browser keeps the blob as long as the link is shown. */
function DownloadLink({ preview: { file, format }, blob, what }: DownloadProps): ComponentChildren {
  const url = useMemo(() => URL.createObjectURL(blob), [blob]);
  useEffect(() => () => URL.revokeObjectURL(url), [url]);
  const begin = file.name.replace(/\.gz$/i, "").replace(/\.[^.]{1,8}$/, "");
  const name = `${begin}-${what}.${format.kind === "jsonl" ? "jsonl" : "csv"}`;
  return (
    <a class="button main" href={url} download={name}>
      Download {name} ({formatSize(blob.size)})
    </a>
  );
}

const NO_PROGRESS: FileProgress = { bytes: 0, rows: 0, classes: {} };

/** Runs once, and ends with the view. It has neither result nor problem while it runs. */
function useClassification({ preview, dns, selection }: RunProps & { readonly selection: OutputSelection }) {
  const { api } = useSession();
  const { value: result, problem, run } = useTask<FileResult>();
  const [{ progress, seconds }, setShown] = useState({ progress: NO_PROGRESS, seconds: 0 });
  const stop = useRef(new AbortController());
  useEffect(() => {
    const { signal } = stop.current;
    const begun = performance.now();
    // A few times in a second.
    const onProgress = (progress: FileProgress): void =>
      setShown({ progress, seconds: (performance.now() - begun) / 1000 });
    const warn = (event: Event): void => event.preventDefault();
    addEventListener("beforeunload", warn);
    const classified = classifyFile(api, { ...preview, dns, selection, signal, onProgress }).catch(
      (failure: unknown) => {
        throw signal.aborted ? new Error("you stopped it.") : failure;
      },
    );
    void run(() => classified).then(() => removeEventListener("beforeunload", warn));
    return () => {
      stop.current.abort();
      removeEventListener("beforeunload", warn);
    };
  }, []);
  return { progress, result, problem, seconds, cancel: () => stop.current.abort() };
}

function formatProgress({ bytes, rows }: FileProgress, size: number, seconds: number): string {
  const parts = [`${formatSize(bytes)} of ${formatSize(size)}`, pluralize(rows, "row", "rows")];
  const left = Math.ceil((seconds * (size - bytes)) / bytes);
  if (bytes > 0 && seconds > 2) parts.push(`about ${formatDuration(left)} left`);
  return parts.join(" · ");
}
