// The view that classifies a file: choose, preview, run, download.

import type { ComponentChildren } from "preact";
import { useRef, useState } from "preact/hooks";
import { errorMessage } from "../common/api.ts";
import { RequireDetectionKey } from "../common/session.tsx";
import { FileRun } from "./file-run.tsx";
import { FormatForm } from "./format-form.tsx";
import { type FileFormat, type FilePreview, previewFile } from "./preview.ts";

export function FilesView(): ComponentChildren {
  const [preview, setPreview] = useState<FilePreview>();
  const [running, setRunning] = useState<{ readonly dns: boolean }>();
  const [problem, setProblem] = useState<string>();
  const last = useRef<Promise<FilePreview | string>>(undefined);

  /** Reads the start of a file. A call replaces the previous one. */
  const onFile = async (file: File, format?: FileFormat): Promise<void> => {
    const looking = previewFile(file, format).catch(errorMessage);
    last.current = looking;
    const found = await looking;
    if (looking !== last.current) return;
    last.current = undefined;
    const isProblem = typeof found === "string";
    setProblem(isProblem ? `${file.name} can't be read${format === undefined ? "" : " so"}: ${found}` : undefined);
    if (!isProblem || format === undefined) setPreview(isProblem ? undefined : found);
  };
  /** Waits for the latest preview. */
  const onStart = async (dns: boolean): Promise<void> => {
    if (typeof (await last.current) !== "string") setRunning({ dns });
  };
  return (
    <section aria-labelledby="files-title">
      <h1 id="files-title">Classify a file</h1>
      <p class="lead">Returns a clean list, all rows with their classes, and charts. Files may have any size.</p>
      <RequireDetectionKey>
        {running === undefined && <FilePicker onFile={onFile} chosen={preview !== undefined} />}
        <div role="status">{problem !== undefined && <p class="problem">{problem}</p>}</div>
        {preview !== undefined && running === undefined && (
          <FormatForm preview={preview} onFormat={(format) => void onFile(preview.file, format)} onStart={onStart} />
        )}
        {preview !== undefined && running !== undefined && (
          <FileRun
            preview={preview}
            dns={running.dns}
            onEnd={() => {
              setRunning(undefined);
              setPreview(undefined);
            }}
          />
        )}
      </RequireDetectionKey>
    </section>
  );
}

interface PickerProps {
  readonly onFile: (file: File) => Promise<void>;
  readonly chosen: boolean;
}

function FilePicker({ onFile, chosen }: PickerProps): ComponentChildren {
  const [over, setOver] = useState(false);
  const onDrop = (event: DragEvent): void => {
    event.preventDefault();
    setOver(false);
    const file = event.dataTransfer?.files[0];
    if (file !== undefined) void onFile(file);
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: dropping needs a mouse; the button in it does not
    <div
      class={over ? "card drop over" : "card drop"}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={onDrop}
    >
      <input
        id="file"
        class="hidden-text"
        type="file"
        accept=".csv,.tsv,.txt,.json,.jsonl,.ndjson,.gz,text/*,application/json,application/gzip"
        onClick={({ currentTarget }) => {
          // So that the same file can be chosen again.
          currentTarget.value = "";
        }}
        onChange={({ currentTarget }) => {
          const file = currentTarget.files?.[0];
          if (file !== undefined) void onFile(file);
        }}
      />
      <label for="file" class={chosen ? "button" : "button main"}>
        {chosen ? "Choose another file" : "Choose a file"}
      </label>
      <p>or drop it here</p>
      <p class="note">
        CSV, TSV, JSON, JSON Lines or one address per line, also with gzip. The file is sent to this daemon only.
      </p>
    </div>
  );
}
