// The API as /openapi.json describes it: each operation with its parameters, its body, its answers, and a line of curl.

import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { problemOf } from "../common/api.ts";
import { CopyFold } from "../common/copy.tsx";
import { useSession } from "../common/session.ts";
import { Marked } from "./marked.tsx";
import { curlOf, fieldsOf, type OpenApi, type Operation, operationsOf } from "./openapi.ts";

export function ReferenceView(): ComponentChildren {
  const { api } = useSession();
  const [document, setDocument] = useState<OpenApi>();
  const [problem, setProblem] = useState<string>();
  useEffect(() => {
    api.json<OpenApi>("GET", "openapi.json").then(setDocument, (failure) => setProblem(problemOf(failure)));
  }, [api]);
  return (
    <section aria-labelledby="api-title">
      <h1 id="api-title">API</h1>
      <p class="lead">
        What programs can ask, from <a href="openapi.json">openapi.json</a>, which client generators take.
      </p>
      <div role="status">{problem !== undefined && <p class="problem">{problem}</p>}</div>
      {document !== undefined && <Groups document={document} />}
    </section>
  );
}

function Groups({ document }: { readonly document: OpenApi }): ComponentChildren {
  const { api } = useSession();
  const operations = operationsOf(document);
  return document.tags.map(({ name, description }) => {
    const own = operations.filter(({ tag }) => tag === name);
    return own.length === 0 ? null : (
      <section key={name} class="card" aria-labelledby={`tag-${name}`}>
        <h2 id={`tag-${name}`}>{name}</h2>
        <p class="note">{description}</p>
        {own.map((operation) => (
          <details key={operation.id} class="operation">
            <summary>
              <span class="method">{operation.method}</span> <code>{operation.path}</code>{" "}
              <span class="note">{operation.summary}</span>
            </summary>
            <Details operation={operation} document={document} curl={curlOf(operation, document, api.base)} />
          </details>
        ))}
      </section>
    );
  });
}

function Details({
  operation,
  document,
  curl,
}: {
  readonly operation: Operation;
  readonly document: OpenApi;
  readonly curl: string;
}): ComponentChildren {
  const { description, parameters, body, answer, responses } = operation;
  return (
    <div class="result">
      {description !== undefined && <Marked text={description} />}
      <Rows title="Parameters" rows={parameters.map((one) => [one.name, one.description ?? one.in])} />
      <Rows title="Body" rows={fieldsOf(body, document)} />
      <Rows title="Answer" rows={fieldsOf(answer, document)} />
      <Rows title="Errors" rows={responses.map((one) => [one.status, one.description])} />
      <CopyFold title="curl" text={curl} button={true} />
    </div>
  );
}

function Rows({
  title,
  rows,
}: {
  readonly title: string;
  readonly rows: readonly (readonly [string, string])[];
}): ComponentChildren {
  if (rows.length === 0) return null;
  return (
    <>
      <h3>{title}</h3>
      <dl class="facts names">
        {rows.map(([name, text]) => (
          <div key={name}>
            <dt>
              <code>{name}</code>
            </dt>
            <dd>
              <Marked text={text} />
            </dd>
          </div>
        ))}
      </dl>
    </>
  );
}
