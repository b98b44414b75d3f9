// The view that takes a file and gives it back classified: chosen or dropped, looked at, sent, counted, downloaded.

import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { problemOf } from "../common/api.ts";
import { KeyBox } from "../common/key-box.tsx";
import { useSession } from "../common/session.ts";
import { FileChoice } from "./file-choice.tsx";
import { FileRun } from "./file-run.tsx";
import { LayoutForm } from "./layout-form.tsx";
import { beginningOf, guess, type Layout, LOOKED_AT_BYTES, type Looked } from "./look.ts";
import { beginning, octetsOf, startsWith } from "./octets.ts";

/** How files of spreadsheets (ZIP and OLE2), Parquet and PDF begin. */
const NOT_TEXT = ["PK\x03\x04", "\xd0\xcf\x11\xe0", "PAR1", "%PDF"];

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
  return { file, beginning: beginningOf(octets) };
}
