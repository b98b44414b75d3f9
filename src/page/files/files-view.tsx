// The view that takes a file and gives it back classified: chosen or dropped, looked at, sent, counted, downloaded.

import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { decodeUtf8 } from "../../base/bytes/octets.ts";
import { problemOf } from "../common/api.ts";
import { KeyBox, useSession } from "../common/session.tsx";
import { FileRun } from "./file-run.tsx";
import { LayoutForm } from "./layout-form.tsx";
import {
  beginning,
  beginningOf,
  guess,
  type Layout,
  LOOKED_AT_BYTES,
  type Looked,
  octetsOf,
  startsWith,
} from "./look.ts";

/** How files of spreadsheets (ZIP and OLE2), Parquet and PDF begin. */
const NOT_TEXT = ["PK\x03\x04", "\xd0\xcf\x11\xe0", "PAR1", "%PDF"];

const JSON_BEGINS = /^\s*(?:\[\s*["{\]]|\{\s*["}])/;

/** A file to classify, with the layout that a person chose. */
interface Job extends Looked {
  readonly layout: Layout;
  readonly dns: boolean;
}

export function FilesView(): ComponentChildren {
  const { facts, key } = useSession();
  const [looked, setLooked] = useState<Looked>();
  const [job, setJob] = useState<Job>();
  const [problem, setProblem] = useState<string>();

  const onFile = async (file: File): Promise<void> => {
    setJob(undefined);
    setProblem(undefined);
    try {
      setLooked(await look(file));
    } catch (failure) {
      setLooked(undefined);
      setProblem(`${file.name} can't be read: ${problemOf(failure)}`);
    }
  };
  return (
    <section aria-labelledby="files-title">
      <h1 id="files-title">Classify a file</h1>
      <p class="lead">A list of addresses or a CSV file of any size comes back with a column for each property.</p>
      {!facts.open && <KeyBox why="This daemon asks for an API key with the scope emails:detect." />}
      {(facts.open || key !== undefined) && (
        <>
          <FileChoice onFile={onFile} chosen={looked !== undefined} locked={job !== undefined} />
          <div role="status">{problem !== undefined && <p class="problem">{problem}</p>}</div>
          {looked !== undefined && job === undefined && (
            <LayoutForm
              key={`${looked.file.name} ${looked.file.size} ${looked.file.lastModified}`}
              looked={looked}
              guessed={guess(looked.file.name, looked.beginning)}
              onStart={(layout, dns) => setJob({ ...looked, layout, dns })}
            />
          )}
          {job !== undefined && (
            <FileRun
              {...job}
              onEnd={() => {
                setJob(undefined);
                setLooked(undefined);
              }}
            />
          )}
        </>
      )}
    </section>
  );
}

async function look(file: File): Promise<Looked> {
  const octets = await beginning(await octetsOf(file, () => {}), LOOKED_AT_BYTES);
  if (octets.length === 0) throw new Error("it is empty.");
  if (
    NOT_TEXT.some((magic) =>
      startsWith(
        octets,
        [...magic].map((char) => char.charCodeAt(0)),
      ),
    )
  )
    throw new Error("it is not a text file. Save it as CSV in the program that made it.");
  if (JSON_BEGINS.test(decodeUtf8(octets, 0, 200))) {
    throw new Error("it is JSON. The command reads it: addrsift detect --jsonl FILE.");
  }
  return { file, beginning: beginningOf(octets) };
}

interface ChoiceProps {
  readonly onFile: (file: File) => Promise<void>;
  /** A file was chosen already. */
  readonly chosen: boolean;
  /** While a file is classified, no other is taken. */
  readonly locked: boolean;
}

function FileChoice({ onFile, chosen, locked }: ChoiceProps): ComponentChildren {
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
