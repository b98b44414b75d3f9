// Text to take away: shown, with a button that copies it; and counts as bars. Each row of those says its number, so the
// bars are decoration for people who can't see them.

import type { ComponentChildren } from "preact";
import { useRef, useState } from "preact/hooks";
import { shownNumber } from "../../base/shown.ts";
import { type Bar, share } from "./text.ts";

const SAID_MS = 2000;

/** A button that copies a text. */
export function CopyButton({ text, label }: { readonly text: string; readonly label: string }): ComponentChildren {
  const [said, setSaid] = useState("");
  const timer = useRef(0);
  const copy = async (): Promise<void> => {
    setSaid((await copied(text)) ? "Copied" : "Select it, and copy by hand");
    clearTimeout(timer.current);
    timer.current = window.setTimeout(() => setSaid(""), SAID_MS);
  };
  return (
    <span class="copy">
      <button type="button" class="quiet" onClick={copy}>
        {label}
      </button>
      <span role="status">{said}</span>
    </span>
  );
}

/** A fold with a text to copy. */
export function CopyFold({
  title,
  text,
  button,
}: {
  readonly title: string;
  readonly text: string;
  readonly button: boolean;
}): ComponentChildren {
  return (
    <details class="fold">
      <summary>{title}</summary>
      {button && <CopyButton text={text} label={`Copy ${title}`} />}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so the keyboard must reach it */}
      <section class="code" tabIndex={0} aria-label={title}>
        <pre>{text}</pre>
      </section>
    </details>
  );
}

/** Copies where the browser lets the page: on localhost and over TLS, or the old way. */
async function copied(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copiedBySelection(text);
  }
}

function copiedBySelection(text: string): boolean {
  const field = document.createElement("textarea");
  field.value = text;
  document.body.append(field);
  field.select();
  const done = document.execCommand("copy");
  field.remove();
  return done;
}

export function Bars({ bars, total }: { readonly bars: readonly Bar[]; readonly total: number }): ComponentChildren {
  return (
    <ul class="bars">
      {bars.map(({ name, count, tone }) => (
        <li key={name}>
          <span class="bar-name">{name}</span>
          <svg class={`bar ${tone}`} aria-hidden="true">
            <rect class="track" width="100%" height="100%" rx="5" />
            <rect class="fill" width={`${total === 0 ? 0 : (100 * count) / total}%`} height="100%" rx="5" />
          </svg>
          <span class="bar-count">
            {shownNumber(count)} <small>{share(count, total)}</small>
          </span>
        </li>
      ))}
    </ul>
  );
}
