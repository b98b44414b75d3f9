// The little Markdown that descriptions in the OpenAPI document have: code and bold.

import type { ComponentChildren } from "preact";

export function Marked({ text }: { readonly text: string }): ComponentChildren {
  return text.split(/(`[^`]+`|\*\*[^*]+\*\*)/).map((part) => {
    if (part.startsWith("`")) return <code>{part.slice(1, -1)}</code>;
    if (part.startsWith("**"))
      return (
        <strong>
          <Marked text={part.slice(2, -2)} />
        </strong>
      );
    return part;
  });
}
