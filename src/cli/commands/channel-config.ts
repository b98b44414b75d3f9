// A channel's config from --config and --unset. Secrets come only from a file or standard input, because every process
// of the machine can read another's arguments. Values are checked elsewhere and never repeated in messages.

import { usage } from "../../base/errors.ts";
import { serviceOf, TYPES } from "../../channels/types/table.ts";
import type { Runtime } from "../runtime.ts";
import { shownText } from "../terminal/output.ts";
import { readGivenValue, urlHasSecret } from "../terminal/small-input.ts";

const HEADERS = "headers.";

/** The config, or the patch of one, for a channel of this type; undefined without options. Throws AddrsiftError. */
export function configOf(
  { config: given, unset = [] }: { readonly config: readonly string[]; readonly unset?: readonly string[] },
  type: string | undefined,
  stdin: Runtime["stdin"],
): Record<string, unknown> | undefined {
  if (given.length + unset.length === 0) return undefined;
  const config = new Map<string, unknown>();
  const headers = new Map<string, unknown>();
  const seen = new Set<string>();
  const set = (key: string, value: unknown): void => {
    const name = key.startsWith(HEADERS) ? key.toLowerCase() : key;
    if (seen.has(name)) throw usage(`--config ${shownKey(key)} is given twice: keep one`);
    seen.add(name);
    if (key.startsWith(HEADERS)) headers.set(key.slice(HEADERS.length), value);
    else config.set(key, value);
  };
  const fromInput = given.filter((text) => text.slice(text.indexOf("=") + 1) === "@-");
  if (fromInput.length > 1) throw usage("standard input is used twice: give one of the values as @FILE");
  if (fromInput.length > 0 && stdin.isTerminal) {
    throw usage(
      "standard input is a terminal, which would show the value as it is typed: pipe it in, or give a file as @FILE",
    );
  }
  for (const text of given) {
    const at = text.indexOf("=");
    if (at < 1) throw usage("--config must be KEY=VALUE, such as url=https://hooks.example.com/in");
    const key = text.slice(0, at);
    set(key, typedValue(key, configValue(key, text.slice(at + 1), type, stdin)));
  }
  for (const key of unset) set(key, null);
  if (headers.size > 0) config.set("headers", Object.fromEntries(headers));
  return Object.fromEntries(config);
}

/** A value of another form stays a text, and is refused where fields are checked. */
function typedValue(key: string, text: string): unknown {
  if (key === "events") return text.split(",").map((name) => name.trim());
  return key === "enabled" && (text === "true" || text === "false") ? text === "true" : text;
}

function configValue(key: string, text: string, type: string | undefined, stdin: Runtime["stdin"]): string {
  const option = `--config ${shownKey(key)}`;
  if (text.startsWith("@")) return readGivenValue(text.slice(1), option, { stdin });
  const isSecret = key === "secret" || key.startsWith(HEADERS);
  const why = isSecret ? "is a secret" : key === "url" ? secretIn(text, type) : undefined;
  if (why === undefined) return text;
  throw usage(
    `${option} ${why}, and other users can read a command's arguments: write it to a file and give ` +
      `${option}=@FILE, or =@- for standard input`,
  );
}

function secretIn(text: string, type: string | undefined): string | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isService = Object.entries(TYPES).some(([name, { service }]) => name === type && service !== undefined);
  if (isService || (url !== undefined && serviceOf(url.hostname) !== undefined)) return "of a chat service is a secret";
  return urlHasSecret(text) ? "has credentials or a query" : undefined;
}

/** A key for a message; a long one is not shown, because it may be a value in the wrong place. */
function shownKey(key: string): string {
  return key.length > 60 ? "(a long key)" : shownText(key);
}
