// The groups in which help and the manual pages show options. Each option names its group; the order is here.

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
export type OptionGroup = (typeof OPTION_GROUPS)[number];

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
