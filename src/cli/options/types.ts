// The form of the option table, the types of the values that it gives, and the groups in which help and the manual pages show options.

/** One option. Without `value` it is a switch. */
export interface OptionSpec {
  /** The long name without dashes. */
  readonly name: string;
  readonly short?: string;
  /** The name of the value in help, such as FILE. */
  readonly value?: string;
  readonly choices?: readonly string[];
  /** The value is a comma-separated list of choices; the option may be given again. */
  readonly list?: boolean;
  /** The option may be given again, each time with one value that is taken whole. */
  readonly repeat?: boolean;
  /** The environment variable that counts when the option is not given. Set to an empty text, it counts as not set. */
  readonly environment?: string;
  readonly default?: string;
  /** A plain `detect` with it is not answered by the first file of the build, which lacks the code for it. */
  readonly inMain?: boolean;
  readonly group?: OptionGroup;
  readonly help: string;
}

export interface CommandSpec {
  /** Its words, such as `lists lookup`. */
  readonly name: string;
  readonly summary: string;
  /** Positional arguments as shown in help: `[ADDRESS...]`, `<DOMAIN>`. */
  readonly argument?: string;
  /** The only values of the argument, for completion. */
  readonly argumentChoices?: readonly string[];
  /** With some options arguments are files, which completion offers. */
  readonly argumentFiles?: boolean;
  readonly options: readonly OptionSpec[];
  /** Command lines with what they do, for help and man page. */
  readonly examples: readonly (readonly [string, string])[];
}

type ChoiceOf<Option extends OptionSpec> = Option extends { choices: readonly (infer Choice)[] } ? Choice : string;

/** The value that a command gets of one option: true or false, one text, or all texts. */
type ValueOf<Option extends OptionSpec> = Option extends { value: string }
  ? Option extends { list: true } | { repeat: true }
    ? readonly ChoiceOf<Option>[]
    : ChoiceOf<Option> | (Option extends { default: string } ? never : undefined)
  : boolean;

export type OptionValues<Option extends OptionSpec> = { readonly [Each in Option as Each["name"]]: ValueOf<Each> };

/** All groups, in the order in which they are shown. An option that names none is in "Options". */
const OPTION_GROUPS = [
  "Options",
  "Input",
  "Output",
  "Filter",
  "Network",
  "Access",
  "DNS",
  "Lists",
  "Syntax",
  "Bulk",
  "Notify",
  "Log",
  "Global",
] as const;
type OptionGroup = (typeof OPTION_GROUPS)[number];

/** The part of an option that is needed here. */
interface Grouped {
  readonly group?: OptionGroup;
  readonly choices?: readonly string[];
}

/** The options of each group, in the order of their table; groups without options are left out. */
export function groupOptions<Option extends Grouped>(options: readonly Option[]): readonly [OptionGroup, Option[]][] {
  return OPTION_GROUPS.map((group): [OptionGroup, Option[]] => [
    group,
    options.filter((option) => (option.group ?? "Options") === group),
  ]).filter(([, members]) => members.length > 0);
}

/** The choices that several options have in common, so that they can be listed once. */
export function sharedChoices(options: readonly Grouped[]): readonly string[] | undefined {
  const [first, ...others] = options.filter(({ choices }) => choices !== undefined);
  const shared = others.length > 0 && others.every(({ choices }) => choices === first?.choices);
  return shared ? first?.choices : undefined;
}
