// Classifies a file and shows the progress, then the downloads and charts.

import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { decodeUtf8 } from "../../base/bytes/bytes.ts";
import { formatNumber, formatPercent, pluralize, toSentence } from "../../base/format-text.ts";
import { formatRowWarnings } from "../../bulk/rows/row-warnings.ts";
import { ApiError } from "../common/api.ts";
import { BarChart, DayChart, Table } from "../common/charts.tsx";
import { CopyDetails, DownloadLink } from "../common/copy.tsx";
import { LazyDetails, QuietButton, useSession } from "../common/session.tsx";
import { useTask } from "../common/task.ts";
import { classBars, formatDuration, formatSize, humanize } from "../common/text.ts";
import { classifyFile, type FileProgress, type FileResult, NO_PROGRESS } from "./classify-file.ts";
import { FileTitle } from "./format-form.tsx";
import {
  createCommandLine,
  ENCODINGS,
  type FileFormat,
  type FilePreview,
  type OutputName,
  outputName,
  PAGE_WORDING,
  type RunOptions,
} from "./preview.ts";

type RunProps = Readonly<{ preview: FilePreview; options: RunOptions }>;
type FileRunProps = RunProps &
  Readonly<{
    onSettings: () => void;
    /** Reads the file in another format and runs again. */
    onFormat: (format: FileFormat) => void;
    onEnd: () => void;
    onUnsaved: (isUnsaved: boolean) => void;
  }>;

export function FileRun({ preview, options, onSettings, onFormat, onEnd, onUnsaved }: FileRunProps): ComponentChildren {
  const run = useClassification(preview, options);
  const { progress, result, problem, isDefect } = run;
  const bars = classBars(progress.classes);
  const { not_utf8, ...irregular } = result?.warnings.irregular ?? {};
  const [encoding, encodingTitle] = ENCODINGS[0];
  useEffect(() => {
    onUnsaved(problem === undefined);
    return () => onUnsaved(false);
  }, [problem]);
  return (
    <section class="card" aria-labelledby="file-title">
      <div class="row spread">
        <FileTitle file={preview.file} />
        <div class="row">
          <QuietButton onClick={onSettings}>Change settings</QuietButton>
          <QuietButton class={isDefect ? "main" : "quiet"} onClick={onEnd}>
            Choose another file
          </QuietButton>
        </div>
      </div>
      <RunStatus {...run} preview={preview} />
      {not_utf8 !== undefined && (
        <div class="verdict warn">
          {formatRowWarnings({ not_utf8 }, PAGE_WORDING).map(toSentence)}{" "}
          {/* A conversion would damage rows that are in UTF-8. */}
          {!/[^\p{ASCII}\ufffd]/u.test(decodeUtf8(preview.input.buffer.unread)) && (
            <button type="button" onClick={() => onFormat({ ...preview.format, encoding })}>
              Read as {encodingTitle} and run again
            </button>
          )}
        </div>
      )}
      {formatRowWarnings(irregular, PAGE_WORDING).map((line) => (
        <p key={line} class="note">
          {toSentence(line)}
        </p>
      ))}
      {result !== undefined && <Downloads {...{ preview, options, result }} onSaved={() => onUnsaved(false)} />}
      <BarChart bars={bars} total={progress.rows} />
      {bars.length > 0 && <p class="note">A row can have several classes.</p>}
      {result !== undefined && bars.length > 0 && <RunDetails {...{ preview, options, progress, result }} />}
    </section>
  );
}

type StatusProps = Pick<RunProps, "preview"> & ReturnType<typeof useClassification>;

/** Shows the progress and a button to stop; then the outcome, and a button to try again if that may help. */
function RunStatus({ preview, ...run }: StatusProps): ComponentChildren {
  const { progress, result, problem, isRunning, isDefect, seconds, start, stop } = run;
  const { rows, retryReason } = progress;
  const { size } = preview.file;
  const nextRow = preview.input.preambleRows + rows + 1;
  return (
    <>
      {isRunning && (
        <>
          <progress max={Math.max(1, size)} value={progress.bytes} aria-label="Progress" />
          <p class="note">{formatProgress(progress, size, seconds)}</p>
        </>
      )}
      <div role="status">
        {isRunning && <p class={retryReason ? "problem" : "hidden-text"}>{retryReason ?? "Classifying."}</p>}
        {problem !== undefined && (
          <p class={isDefect ? "problem" : "verdict warn"}>
            Stopped {isDefect ? `at row ${formatNumber(nextRow)}` : `after ${pluralize(rows, "row", "rows")}`}:{" "}
            {problem}
          </p>
        )}
        {result !== undefined && <Outcome {...run} />}
      </div>
      {result === undefined && !isDefect && (
        <button type="button" class={isRunning ? "" : "main"} onClick={isRunning ? stop : start}>
          {isRunning ? "Stop" : "Try again"}
        </button>
      )}
    </>
  );
}

function Outcome({ progress, seconds, result }: Omit<StatusProps, "preview">): ComponentChildren {
  const rows = pluralize(progress.rows, "row", "rows");
  if (!progress.classes["valid"]) {
    const problem = progress.rows === 0 ? "The file has no rows" : `None of ${rows} has a valid address`;
    return <p class="verdict warn">{problem}: is this the right file?</p>;
  }
  const reasons = [...(result?.removedRows ?? [])].sort(([, a], [, b]) => b - a);
  const removed = reasons.reduce((sum, [, rows]) => sum + rows, 0);
  const counts = reasons.map(([name, rows]) => `${formatNumber(rows)} ${humanize(name)}`).join(", ");
  return (
    <p class={`verdict ${removed > 0 ? "warn" : "good"}`}>
      <strong>Done.</strong> {rows} in {formatDuration(Math.ceil(seconds))}.
      {removed > 0 &&
        ` The clean list leaves out ${formatNumber(removed)} of them (${formatPercent(removed, progress.rows)}): ${counts}.`}
    </p>
  );
}

const OUTPUT_TITLES: Readonly<Record<OutputName, string>> = {
  clean: "clean list",
  classified: "all rows",
  removed: "removed rows",
};

type DownloadsProps = RunProps & Readonly<{ result: FileResult; onSaved: () => void }>;

/** Links to the outputs that have rows. */
function Downloads({ preview, options, result, onSaved }: DownloadsProps): ComponentChildren {
  const outputs = result.outputs.filter(({ rows }) => rows > 0);
  return (
    <>
      <p class="row">
        {outputs.map(({ name, blob, rows }, i) => (
          <DownloadLink
            key={name}
            blob={blob}
            fileName={outputName(preview, options, name)}
            class={i === 0 ? "main" : ""}
            onClick={onSaved}
          >
            Download {OUTPUT_TITLES[name]}{" "}
            <small>
              {pluralize(rows, "row", "rows")}, {formatSize(blob.size)}
            </small>
          </DownloadLink>
        ))}
      </p>
      {outputs.length > 0 && (
        <p class="note">
          Removed rows have the reason in <code>{preview.format.prefix}removed_reason</code>.
        </p>
      )}
    </>
  );
}

type DetailsProps = RunProps & Readonly<{ progress: FileProgress; result: FileResult }>;

function RunDetails({ preview, options, progress, result }: DetailsProps): ComponentChildren {
  const { days, dayColumn } = result;
  const cells = days.map(({ value, rows, unusable }) => [value, rows, { count: unusable, total: rows }]);
  return (
    <>
      {result.isPartial && <p class="note">Duplicates were found among the first 10,000,000 mailboxes only.</p>}
      <DayChart days={days} column={dayColumn} rows={progress.rows} />
      {days.length === 0 && dayColumn !== "" && (
        <p class="note">
          <bdi>{dayColumn}</bdi> is ambiguous: only the report has a chart by day.
        </p>
      )}
      {days.length > 1 && (
        <LazyDetails class="fold" summary="Rows by day">
          <Table title="Rows by day" head={[dayColumn, "rows", "no usable address"]} rows={cells} />
        </LazyDetails>
      )}
      <CopyDetails title="Command line for the clean list" text={createCommandLine(preview, options, true)} />
      <CopyDetails title="Command line for all rows and a report" text={createCommandLine(preview, options, false)} />
    </>
  );
}

const START = { progress: NO_PROGRESS, seconds: 0 };

/** Classifies the file. Stops if the view is closed. */
function useClassification(preview: FilePreview, options: RunOptions) {
  const { api } = useSession();
  const { value: result, failure, problem, run, stop } = useTask<FileResult>();
  const [state, setState] = useState(START);
  const start = (): void => {
    const startMs = performance.now();
    const onProgress = (progress: FileProgress): void =>
      setState({ progress, seconds: (performance.now() - startMs) / 1000 });
    setState(START);
    void run((signal) => classifyFile(api, { ...preview, ...options, signal, onProgress }));
  };
  useEffect(start, []);
  // Another try would find the same defect in the file.
  const isDefect = problem !== undefined && !(failure instanceof ApiError && failure.status !== 400);
  const isRunning = (result ?? problem) === undefined;
  return { ...state, result, problem, isRunning, isDefect, start, stop };
}

function formatProgress({ bytes, rows, retryReason }: FileProgress, size: number, seconds: number): string {
  const parts = [`${formatSize(bytes)} of ${formatSize(size)}`, pluralize(rows, "row", "rows")];
  const secondsLeft = Math.ceil((seconds * (size - bytes)) / bytes);
  if (bytes > 0 && seconds > 2 && !retryReason) parts.push(`about ${formatDuration(secondsLeft)} left`);
  return parts.join(" · ");
}
