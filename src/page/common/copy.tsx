// Text to take away: shown, with a button that copies it.

import type { ComponentChildren } from "preact";
import { useRef, useState } from "preact/hooks";

const FEEDBACK_MS = 2000;

export function CopyButton({ text, label }: { readonly text: string; readonly label: string }): ComponentChildren {
  const [feedback, setFeedback] = useState("");
  const timer = useRef(0);
  const copy = async (): Promise<void> => {
    setFeedback((await copyToClipboard(text)) ? "Copied" : "Select it, and copy by hand");
    clearTimeout(timer.current);
    timer.current = window.setTimeout(() => setFeedback(""), FEEDBACK_MS);
  };
  return (
    <>
      <button type="button" class="quiet" onClick={copy}>
        {label}
      </button>{" "}
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
      <CopyButton text={text} label={`Copy ${title}`} />
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so the keyboard must reach it */}
      <section class="code" tabIndex={0} aria-label={title}>
        {text}
      </section>
    </details>
  );
}

/** The clipboard needs localhost or TLS. */
async function copyToClipboard(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copyBySelection(text);
  }
}

function copyBySelection(text: string): boolean {
  const field = document.createElement("textarea");
  field.value = text;
  document.body.append(field);
  field.select();
  const done = document.execCommand("copy");
  field.remove();
  return done;
}
