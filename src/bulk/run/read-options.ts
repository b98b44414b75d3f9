// Parses options: converts the texts of a command line, a query or the environment to values, by an option table.

import { closestNames, formatAlternatives } from "../../base/closest-names.ts";
import { quote } from "../../base/format-text.ts";
import { parseDurationMs } from "../../base/user-input.ts";
import { usage, type Wording } from "../messages.ts";
import type { DeclaredOption, OptionValues } from "./option-table.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

/** Texts of the options that were set, by option name. A switch has `true` or `false`. */
export type OptionTexts = ReadonlyMap<string, readonly string[]>;

const SWITCH = ["true", "false"];

/**
 * Returns the values of all options of the table, and the names of those that were set, also by the environment. Others
 * have their default. Throws AddrsiftError USAGE for a wrong value, and for an option that is repeated, missing or
 * excluded by another option.
 */
export function readOptions<Option extends DeclaredOption>(
  table: readonly Option[],
  texts: OptionTexts,
  environment: Environment = {},
) {
  const sources = new Map(table.map((option) => [option.name, findTexts(option, texts, environment)]));
  const values = table.map(
    (option) => [option.name, readValue(option, sources.get(option.name) as FoundTexts)] as const,
  );
  const options = Object.fromEntries(values) as OptionValues<Option>;
  const explicitOptions = new Set([...sources].flatMap(([name, { texts }]) => (texts.length > 0 ? name : [])));
  const isSet = (name: string): boolean => explicitOptions.has(name) && options[name as Option["name"]] !== false;
  for (const option of table) if (isSet(option.name)) checkCombination(option, isSet);
  return { options, explicitOptions };
}

type Value = boolean | number | string | readonly (number | string)[] | undefined;

/** Texts of an option. `variable` is the environment variable that they come from. */
interface FoundTexts {
  readonly texts: readonly string[];
  readonly variable?: string;
}

/** Returns the texts of an option, or else those in its environment variable, separated by commas or white space. */
function findTexts(option: DeclaredOption, texts: OptionTexts, environment: Environment): FoundTexts {
  const { name, repeat, environment: variable = "" } = option;
  const text = environment[variable]?.trim() ?? "";
  if (texts.has(name) || text === "") return { texts: texts.get(name) ?? [] };
  if (text.startsWith("tcp://")) {
    const problem = `${variable} can't be ${quote(text)}, which Kubernetes sets for a service of this name`;
    throw usage(({ option: format }) => `${problem}: give ${format(name)}, or enableServiceLinks: false in the pod`);
  }
  return { texts: repeat === undefined ? [text] : text.split(/[\s,]+/), variable };
}

function readValue(option: DeclaredOption, { texts, variable }: FoundTexts): Value {
  checkCount(option, texts);
  const { name, value, choices, required, default: fallback } = option;
  if (required === true && texts.length === 0) {
    const which = choices === undefined ? "" : `, from ${choices.join(", ")}`;
    throw usage((wording) => `${wording.option(name)} is missing: add ${wording.option(name, value)}${which}`);
  }
  if (value === undefined) return parseTexts({ ...option, choices: SWITCH }, texts, variable)[0] === "true";
  const values = parseTexts(option, texts, variable);
  if (option.list === true || option.repeat !== undefined) return values;
  return values.length === 0 && fallback !== undefined ? parseTexts(option, [fallback])[0] : values[0];
}

function checkCount(option: DeclaredOption, texts: readonly string[]): void {
  const { name, value, list, repeat = 1, repeatFix = "give it once" } = option;
  const max = list === true || repeat === true ? Number.POSITIVE_INFINITY : repeat;
  // A switch may be repeated, for example after a shell alias that sets it.
  const count = value === undefined ? new Set(texts).size : texts.length;
  if (count <= max) return;
  const fix = max === 1 ? repeatFix : `give it at most ${max} times`;
  throw usage(
    (wording) => `${wording.option(name)} is given ${max === 1 ? "more than once" : `${count} times`}: ${fix}`,
  );
}

function parseTexts(option: DeclaredOption, texts: readonly string[], variable?: string): readonly (number | string)[] {
  const { name, list, choices, range, time } = option;
  const formatName = (wording: Wording): string => variable ?? wording.option(name);
  if (range !== undefined) return texts.map((text) => parseNumber(text, range, formatName));
  if (time !== undefined) return texts.map((text) => parseTime(text, time, formatName));
  const values = list === true ? texts.flatMap((text) => text.split(",").map((word) => word.trim())) : texts;
  const fault = option.fault && values.map(option.fault).find((each) => each !== undefined);
  if (fault !== undefined) throw usage((wording) => `${formatName(wording)} ${fault}`);
  const unknown = choices && values.find((value) => !choices.includes(value));
  if (choices === undefined || unknown === undefined) return values;
  if (name === "fields" && unknown === "email") {
    throw usage((wording) => {
      const plain = wording.format("plain");
      const alone = plain === "" ? "" : `; for addresses alone use ${wording.formatOption} ${plain}`;
      return `${formatName(wording)} does not know "email": every row has its address already, so leave email out${alone}`;
    });
  }
  const similarChoices = closestNames(unknown, choices);
  const suggestion = similarChoices.length === 0 ? "" : `did you mean ${formatAlternatives(similarChoices)}? `;
  throw usage(
    (wording) =>
      `${formatName(wording)} does not know ${quote(unknown)}: ${suggestion}choose from ${choices.join(", ")}`,
  );
}

function parseNumber(
  text: string,
  [min, max]: NonNullable<DeclaredOption["range"]>,
  formatName: (wording: Wording) => string,
): number {
  const number = /^[0-9]{1,7}$/.test(text) ? Number(text) : -1;
  if (number >= min && number <= max) return number;
  throw usage((wording) => `${formatName(wording)} can't be ${quote(text)}: give a whole number from ${min} to ${max}`);
}

function parseTime(
  text: string,
  time: NonNullable<DeclaredOption["time"]>,
  formatName: (wording: Wording) => string,
): number {
  const { min, max, examples, bare } = time;
  const read = (duration: string): number => parseDurationMs(duration, ["ms", "s", "m", "h", "d"], bare);
  const ms = read(text);
  if (ms >= read(min) && ms <= read(max)) return ms;
  throw usage(
    (wording) =>
      `${formatName(wording)} can't be ${quote(text)}: give a time from ${min} to ${max}, such as ${examples}`,
  );
}

function checkCombination({ name, excludes = {}, needs }: DeclaredOption, isSet: (name: string) => boolean): void {
  const other = Object.keys(excludes).find(isSet);
  if (other !== undefined) {
    throw usage(({ option }) => `${option(name)} and ${option(other)} exclude each other: ${excludes[other]}`);
  }
  if (needs !== undefined && !isSet(needs[0])) {
    throw usage(({ option }) => `${option(name)} needs ${option(needs[0])}: add ${option(...needs)}`);
  }
}
