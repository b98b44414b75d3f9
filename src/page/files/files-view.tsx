// The view that classifies a file: choose, preview, run, download.

import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { toSentence } from "../../base/format-text.ts";
import { errorMessage } from "../common/api.ts";
import { RequireDetectionKey } from "../common/require-key.tsx";
import { FileRun } from "./file-run.tsx";
import { FormatForm } from "./format-form.tsx";
import { type FileFormat, type FilePreview, previewFile, type RunOptions } from "./preview.ts";

// The clean list of the report leaves out the same classes. With DNS lookups, the form adds no_mail.
const DEFAULTS: RunOptions = { dns: false, rejected: ["disposable", "mistyped", "duplicate"], cleanHasFields: false };

export function FilesView(): ComponentChildren {
  const [preview, setPreview] = useState<FilePreview>();
  const [options, setOptions] = useState(DEFAULTS);
  const [isStarted, setIsStarted] = useState(false);
  const hasRun = preview !== undefined && isStarted;
  // Whether a run is in progress, or has results of which none was downloaded.
  const [isUnsaved, setIsUnsaved] = useState(false);
  const [problem, setProblem] = useState<string>();
  const latestPreview = useRef<Promise<FilePreview | string>>(undefined);

  /** Reads the start of a file. Ignores the result if it is called again meanwhile. */
  const onFile = async (file: File, format?: FileFormat): Promise<void> => {
    setIsStarted(false);
    const pendingPreview = previewFile(file, format).catch(errorMessage);
    latestPreview.current = pendingPreview;
    const previewOrProblem = await pendingPreview;
    if (pendingPreview !== latestPreview.current) return;
    if (typeof previewOrProblem !== "string") {
      setPreview(previewOrProblem);
      setProblem(undefined);
    } else if (format === undefined) {
      setPreview(undefined);
      setProblem(`${file.name} can't be read: ${previewOrProblem}`);
    } else setPreview((previous) => previous && { ...previous, format, problem: toSentence(previewOrProblem) });
  };
  /** Waits for the latest preview, and starts the run if the file is readable. */
  const onStart = async (options: RunOptions): Promise<void> => {
    setOptions(options);
    if (typeof (await latestPreview.current) !== "string") setIsStarted(true);
  };
  const leave = (next: () => void): void => {
    if (!isUnsaved || confirm("Discard this run and its results?")) next();
  };
  useEffect(() => {
    window.onbeforeunload = isUnsaved ? (event) => event.preventDefault() : null;
  }, [isUnsaved]);
  const isDragging = useFileDrop(([file, another]) => {
    location.hash = "files";
    if (another !== undefined) setProblem("Choose one file at a time.");
    else if (file !== undefined) leave(() => void onFile(file));
  });
  return (
    <section aria-labelledby="files-title">
      <h1 id="files-title">Classify a file</h1>
      <p class="lead">Removes invalid, disposable, mistyped and duplicate addresses.</p>
      <RequireDetectionKey>
        {!hasRun && <FilePicker {...{ onFile, isDragging }} hasPreview={preview !== undefined} />}
        <div role="status">{problem !== undefined && <p class="problem">{problem}</p>}</div>
        {preview !== undefined && !hasRun && (
          <FormatForm {...{ preview, options, onStart }} onFormat={(format) => void onFile(preview.file, format)} />
        )}
        {hasRun && (
          <FileRun
            {...{ preview, options }}
            onSettings={() => setIsStarted(false)}
            onFormat={(format) => {
              void onFile(preview.file, format);
              void onStart(options);
            }}
            onEnd={() => leave(() => setPreview(undefined))}
            onUnsaved={setIsUnsaved}
          />
        )}
      </RequireDetectionKey>
    </section>
  );
}

/** Handles files that are dropped anywhere on the page. Returns whether files are dragged over it. */
function useFileDrop(onDrop: (files: FileList) => void): boolean {
  const [isDragging, setIsDragging] = useState(false);
  const onDrag = (event: DragEvent): void => {
    const { dataTransfer, type, relatedTarget } = event;
    if (!dataTransfer?.types.includes("Files")) return;
    // Otherwise, browsers would replace the page with the file.
    event.preventDefault();
    setIsDragging(type === "dragover" || (type === "dragleave" && relatedTarget !== null));
    if (type === "drop") onDrop(dataTransfer.files);
  };
  useEffect(() => {
    document.ondragover = onDrag;
    document.ondragleave = onDrag;
    document.ondrop = onDrag;
  });
  return isDragging;
}

type PickerProps = Readonly<{ onFile: (file: File) => Promise<void>; isDragging: boolean; hasPreview: boolean }>;

function FilePicker({ onFile, isDragging, hasPreview }: PickerProps): ComponentChildren {
  return (
    <div class={hasPreview ? "row" : "card drop"} data-dragging={isDragging}>
      <input
        id="file"
        class="hidden-text"
        type="file"
        accept=".csv,.tsv,.txt,.json,.jsonl,.ndjson,.gz,text/*"
        onClick={({ currentTarget }) => {
          // Without this, choosing the same file again would fire no event.
          currentTarget.value = "";
        }}
        onChange={({ currentTarget }) => {
          const file = currentTarget.files?.[0];
          if (file !== undefined) void onFile(file);
        }}
      />
      <label for="file" class={hasPreview ? "button" : "button main"}>
        {hasPreview ? "Choose another file" : "Choose a file"}
      </label>
      <p>or drop it here</p>
      {!hasPreview && (
        <p class="note">
          CSV, TSV, JSON, JSON Lines or one address per line, also as gzip. It is sent to this daemon only.
        </p>
      )}
    </div>
  );
}
