// The form of the option table, and the groups in which help and the manual pages show options.

import type { DeclaredOption } from "../../bulk/run/option-table.ts";

/** One option of the command line. */
export interface OptionSpec extends DeclaredOption {
  readonly short?: string;
  /** The environment variable that counts when the option is not given. Set to an empty text, it counts as not set. */
  readonly environment?: string;
  readonly group?: OptionGroup;
  /** Its line in the short help, which has only such options where a command has any. */
  readonly brief?: string;
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
