// An address as it was given, with a caret under the place where it breaks a rule.

import type { ComponentChildren } from "preact";
import { escapeInvisible } from "../../base/shown.ts";

/** `offset` in UTF-16 units. */
export function Address({
  email,
  offset,
}: {
  readonly email: string;
  readonly offset: number | undefined;
}): ComponentChildren {
  if (offset === undefined) return <bdi class="address">{escapeInvisible(email)}</bdi>;
  const { before, at, after } = partsAt(email, offset);
  return (
    <bdi class="address faulty">
      {escapeInvisible(before)}
      <mark>{at === "" ? "\u00a0" : escapeInvisible(at)}</mark>
      {escapeInvisible(after)}
      <span class="hidden-text">, wrong at character {Array.from(before).length + 1}</span>
    </bdi>
  );
}

/** The text before the character at an offset, that character, and the text after it. */
export function partsAt(
  email: string,
  offset: number,
): { readonly before: string; readonly at: string; readonly after: string } {
  const code = email.codePointAt(offset);
  const at = code === undefined ? "" : String.fromCodePoint(code);
  return { before: email.slice(0, offset), at, after: email.slice(offset + at.length) };
}
