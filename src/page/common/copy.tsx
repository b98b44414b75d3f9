// Copy buttons and download links.

import type { ComponentChildren } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { type ChildrenProps, QuietButton } from "./session.tsx";

const FEEDBACK_MS = 2000;

export function CopyButton({ text, label }: { readonly text: string; readonly label: string }): ComponentChildren {
  const [feedback, setFeedback] = useState("");
  const timer = useRef(0);
  const copy = async (): Promise<void> => {
    setFeedback((await copyToClipboard(text)) ? "Copied" : "Select and copy the text");
    clearTimeout(timer.current);
    timer.current = window.setTimeout(() => setFeedback(""), FEEDBACK_MS);
  };
  return (
    <>
      <QuietButton onClick={copy}>{label}</QuietButton>{" "}
      <span role="status" class="note">
        {feedback}
      </span>
    </>
  );
}

export function CopyDetails({ title, text }: { readonly title: string; readonly text: string }): ComponentChildren {
  return (
    <details class="fold">
      <summary>{title}</summary>
      <CopyButton text={text} label={`Copy ${title.replace(/^[A-Z](?=[a-z])/, (letter) => letter.toLowerCase())}`} />
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so it must be reachable by keyboard */}
      <section class="code" tabIndex={0} aria-label={title}>
        {text}
      </section>
    </details>
  );
}

type DownloadProps = ChildrenProps & Readonly<{ blob: Blob; fileName: string; class: string; onClick?: () => void }>;

/** A link that downloads a blob. Releases the blob when the link is removed. */
export function DownloadLink({ blob, fileName, class: name, ...props }: DownloadProps): ComponentChildren {
  const url = useMemo(() => URL.createObjectURL(blob), [blob]);
  useEffect(() => () => URL.revokeObjectURL(url), [url]);
  return <a class={`button ${name}`} href={url} download={fileName} {...props} />;
}

/** Reports whether the text was copied. Browsers restrict navigator.clipboard to localhost and TLS. */
async function copyToClipboard(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const field = document.createElement("textarea");
    field.value = text;
    document.body.append(field);
    field.select();
    const isCopied = document.execCommand("copy");
    field.remove();
    return isCopied;
  }
}
