// Classifies a file and shows the progress, then the downloads and charts.

import type { ComponentChildren, TargetedSubmitEvent } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { escapeInvisible, formatNumber, pluralize } from "../../base/format-text.ts";
import { formatRowWarnings } from "../../bulk/rows/row-warnings.ts";
import { toSentence } from "../common/api.ts";
import { BarChart, DayChart, Table } from "../common/charts.tsx";
import { CopyDetails, DownloadLink } from "../common/copy.tsx";
import { LabeledInput, LazyDetails, QuietButton, useSession } from "../common/session.tsx";
import { useTask } from "../common/task.ts";
import { type Bar, classBars, formatDuration, formatSize } from "../common/text.ts";
import { type ClassSelection, classifyFile, type FileProgress, type FileResult, NO_PROGRESS } from "./classify-file.ts";
import { createCommandLine, type FilePreview, PAGE_WORDING } from "./preview.ts";

interface RunProps {
  readonly preview: FilePreview;
  readonly dns: boolean;
}

interface FileRunProps extends RunProps {
  readonly onSettings: () => void;
  readonly onEnd: () => void;
}

export function FileRun({ preview, dns, onSettings, onEnd }: FileRunProps): ComponentChildren {
  const { file } = preview;
  const run = useClassification({ preview, dns });
  const { progress, result, seconds } = run;
  const bars = classBars(progress.classes);
  const hasValid = (progress.classes["valid"] ?? 0) > 0;
  const rows = pluralize(progress.rows, "row", "rows");
  return (
    <section class="card" aria-labelledby="run-title">
      <div class="row spread">
        <h2 id="run-title">
          <bdi>{escapeInvisible(file.name)}</bdi> <small>{formatSize(file.size)}</small>
        </h2>
        <div class="row">
          <QuietButton onClick={onSettings}>Change the settings</QuietButton>
          <QuietButton onClick={onEnd}>Another file</QuietButton>
        </div>
      </div>
      <RunStatus {...run} preview={preview}>
        {hasValid ? (
          <p class="verdict good">
            <strong>Done.</strong> {rows} in {formatDuration(Math.ceil(seconds))}.
          </p>
        ) : (
          <p class="verdict warn">
            {progress.rows === 0
              ? "The file has no rows."
              : `None of ${rows} has a valid address: is this the right file, and the right column?`}
          </p>
        )}
      </RunStatus>
      {result !== undefined && (
        <Downloads preview={preview} outputs={hasValid ? result.outputs : result.outputs.slice(1, 2)} />
      )}
      {hasValid && result !== undefined && (
        <p class="note">
          Clean list: the valid addresses that are not disposable, each mailbox once, also mistyped and reserved ones.
          Removed rows: the others, with the reason in <code>{preview.format.prefix}removed_reason</code>.
        </p>
      )}
      <BarChart bars={bars} total={progress.rows} />
      {bars.length > 0 && <p class="note">A row can have several classes.</p>}
      {result !== undefined && <RunDetails {...{ preview, dns, bars, progress, result }} />}
    </section>
  );
}

interface RunDetailsProps extends RunProps {
  readonly bars: readonly Bar[];
  readonly progress: FileProgress;
  readonly result: FileResult;
}

function RunDetails({ preview, dns, bars, progress, result }: RunDetailsProps): ComponentChildren {
  return (
    <>
      {formatRowWarnings(result.irregular, PAGE_WORDING).map((line) => (
        <p key={line} class="note">
          {toSentence(line)}
        </p>
      ))}
      {result.isPartial && <p class="note">Duplicates were found among the first 10,000,000 mailboxes only.</p>}
      <DayChart days={result.days} column={result.dayColumn} rows={progress.rows} nowMs={Date.now()} />
      {result.days.length > 1 && <DayTable {...result} />}
      <RowsByClass preview={preview} dns={dns} bars={bars.filter(({ id }) => id !== "duplicate")} />
      <CopyDetails title="Command line for the clean list" text={createCommandLine(preview, dns, true)} />
      <CopyDetails title="Command line for all rows" text={createCommandLine(preview, dns, false)} />
      <CopyDetails
        title="Counts as JSON"
        text={JSON.stringify({ rows: progress.rows, ...progress.classes }, undefined, 2)}
      />
    </>
  );
}

function DayTable({ days, dayColumn }: Pick<FileResult, "days" | "dayColumn">): ComponentChildren {
  const cells = days.map(({ value, rows, classes }) => [value, rows, { count: classes.disposable, total: rows }]);
  return (
    <LazyDetails class="fold" summary="Rows by day">
      <Table title="Rows by day" head={[dayColumn, "rows", "disposable"]} rows={cells} />
    </LazyDetails>
  );
}

/** Classifies the file again to get the rows of some classes. */
function RowsByClass({ preview, dns, bars }: RunProps & { readonly bars: readonly Bar[] }): ComponentChildren {
  const [selection, setSelection] = useState<ClassSelection>();
  const [isNoneSelected, setIsNoneSelected] = useState(bars.every(({ tone }) => tone !== "bad"));
  const change = (form: HTMLFormElement): void => {
    setSelection(undefined);
    setIsNoneSelected(!new FormData(form).has("class"));
  };
  const submit = (event: TargetedSubmitEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const data = new FormData(event.currentTarget);
    const mode = data.get("mode") === "reject" ? "reject" : "select";
    setSelection({ mode, classes: data.getAll("class").map(String) });
  };
  return (
    <details class="fold">
      <summary>Rows by class</summary>
      <form onSubmit={submit} onInput={({ currentTarget }) => change(currentTarget)}>
        <fieldset class="row">
          <legend>Rows of the classes below</legend>
          <LabeledInput type="radio" name="mode" value="select" defaultChecked>
            Select
          </LabeledInput>
          <LabeledInput type="radio" name="mode" value="reject">
            Reject
          </LabeledInput>
        </fieldset>
        <fieldset class="row">
          <legend>Classes</legend>
          {bars.map(({ name, id, tone }) => (
            <LabeledInput key={id} type="checkbox" name="class" value={id} defaultChecked={tone === "bad"}>
              {name}
            </LabeledInput>
          ))}
        </fieldset>
        {selection === undefined && (
          <button type="submit" disabled={isNoneSelected}>
            Get these rows
          </button>
        )}
      </form>
      {selection !== undefined && <SelectedRows preview={preview} dns={dns} selection={selection} />}
    </details>
  );
}

function SelectedRows(props: RunProps & { readonly selection: ClassSelection }): ComponentChildren {
  const run = useClassification(props);
  return (
    <>
      <RunStatus {...run} preview={props.preview} />
      {run.result !== undefined && <Downloads preview={props.preview} outputs={run.result.outputs} />}
    </>
  );
}

interface StateProps extends ReturnType<typeof useClassification> {
  readonly preview: FilePreview;
  readonly children?: ComponentChildren;
}

/** Shows the progress and a stop button; then the children, or the problem and a button to try again. */
function RunStatus(props: StateProps): ComponentChildren {
  const { progress, result, problem, seconds, cancel, restart, preview, children } = props;
  const { retryReason } = progress;
  const { size } = preview.file;
  // A header counts as row 1.
  const nextRow = progress.rows + (preview.input.names === undefined ? 1 : 2);
  const isRunning = (result ?? problem) === undefined;
  return (
    <>
      {isRunning && (
        <>
          <progress max={Math.max(1, size)} value={progress.bytes} aria-label="Progress" />
          <p class="note">{formatProgress(progress, size, seconds)}</p>
        </>
      )}
      <div role="status">
        {isRunning && (
          <p class={retryReason ? "problem" : "hidden-text"}>{retryReason ?? "The file is being classified."}</p>
        )}
        {problem !== undefined && (
          <p class="problem">
            Stopped at row {formatNumber(nextRow)}: {problem}
          </p>
        )}
        {result !== undefined && children}
      </div>
      {result === undefined && (
        <button type="button" onClick={isRunning ? cancel : restart}>
          {isRunning ? "Stop" : "Try again"}
        </button>
      )}
    </>
  );
}

type DownloadsProps = Pick<RunProps, "preview"> & Pick<FileResult, "outputs">;

const OUTPUT_TITLES: Readonly<Record<string, string>> = {
  clean: "clean list",
  classified: "all rows",
  removed: "removed rows",
};

function Downloads({ preview: { file, format }, outputs }: DownloadsProps): ComponentChildren {
  const stem = file.name.replace(/\.gz$/i, "").replace(/\.[^.]{1,8}$/, "");
  const extension = format.kind === "jsonl" ? "jsonl" : "csv";
  return (
    <p class="row">
      {outputs.map(({ name, blob, rows }, i) => (
        <DownloadLink key={name} blob={blob} fileName={`${stem}-${name}.${extension}`} class={i === 0 ? "main" : ""}>
          Download {OUTPUT_TITLES[name] ?? "these rows"}{" "}
          <small>
            {rows > 0 && `${pluralize(rows, "row", "rows")}, `}
            {formatSize(blob.size)}
          </small>
        </DownloadLink>
      ))}
    </p>
  );
}

const START = { progress: NO_PROGRESS, seconds: 0 };

/** Classifies the file once. Stops if the view is closed. While it runs, there is neither a result nor a problem. */
function useClassification({ preview, dns, selection }: RunProps & { readonly selection?: ClassSelection }) {
  const { api } = useSession();
  const { value: result, problem, run } = useTask<FileResult>();
  const [state, setState] = useState(START);
  const [attempt, setAttempt] = useState(0);
  const controllerRef = useRef<AbortController>(undefined);
  useEffect(() => {
    const controller = new AbortController();
    controllerRef.current = controller;
    const { signal } = controller;
    const startMs = performance.now();
    setState(START);
    const onProgress = (progress: FileProgress): void =>
      setState({ progress, seconds: (performance.now() - startMs) / 1000 });
    const confirmLeaving = (event: Event): void => event.preventDefault();
    addEventListener("beforeunload", confirmLeaving);
    const classified = classifyFile(api, { ...preview, dns, selection, signal, onProgress }).catch(
      (failure: unknown) => {
        throw signal.aborted ? new Error("you stopped it.") : failure;
      },
    );
    void run(() => classified).then(() => removeEventListener("beforeunload", confirmLeaving));
    return () => {
      controller.abort();
      removeEventListener("beforeunload", confirmLeaving);
    };
  }, [attempt]);
  const cancel = (): void => controllerRef.current?.abort();
  return { ...state, result, problem, cancel, restart: () => setAttempt(attempt + 1) };
}

function formatProgress({ bytes, rows }: FileProgress, size: number, seconds: number): string {
  const parts = [`${formatSize(bytes)} of ${formatSize(size)}`, pluralize(rows, "row", "rows")];
  const secondsLeft = Math.ceil((seconds * (size - bytes)) / bytes);
  if (bytes > 0 && seconds > 2) parts.push(`about ${formatDuration(secondsLeft)} left`);
  return parts.join(" · ");
}
