// Where a file is chosen with the keyboard or the mouse, or dropped.

import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";

interface ChoiceProps {
  readonly onFile: (file: File) => Promise<void>;
  /** A file was chosen already. */
  readonly chosen: boolean;
  /** While a file is classified, no other is taken. */
  readonly locked: boolean;
}

export function FileChoice({ onFile, chosen, locked }: ChoiceProps): ComponentChildren {
  const [over, setOver] = useState(false);
  if (locked) return null;
  const onDrop = (event: DragEvent): void => {
    event.preventDefault();
    setOver(false);
    const file = event.dataTransfer?.files[0];
    if (file !== undefined) void onFile(file);
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: dropping is for the mouse; the button in it is for everyone
    <div
      class={over ? "drop over" : "drop"}
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
        accept=".csv,.tsv,.txt,.gz,text/csv,text/plain,text/tab-separated-values,application/gzip"
        onClick={({ currentTarget }) => {
          // So that the same file can be chosen again.
          currentTarget.value = "";
        }}
        onChange={({ currentTarget }) => {
          const file = currentTarget.files?.[0];
          if (file !== undefined) void onFile(file);
        }}
      />
      <label for="file" class="button main">
        {chosen ? "Choose another file" : "Choose a file"}
      </label>
      <p>or drop it here</p>
      <p class="note">CSV, TSV or one address a line; gzip as well. It goes to this daemon only, in parts.</p>
    </div>
  );
}
