// Row classes, as bits. --select, --reject and --fail-on choose from them.

/** Class names in the order of the summary, each with its bit. */
export const ROW_CLASS = {
  valid: 1,
  invalid: 2,
  blank: 4,
  disposable: 8,
  mistyped: 2048,
  suspicious: 8192,
  relay: 16,
  public: 32,
  role: 64,
  no_reply: 262144,
  subaddressed: 128,
  reserved: 256,
  unreserved: 4096,
  hidden: 32768,
  work: 65536,
  academic: 131072,
  no_mail: 512,
  unknown: 1024,
  duplicate: 16384,
  known: 524288,
} as const;
export type RowClass = keyof typeof ROW_CLASS;

/** Classes of rows without a usable address, which the report's clean list leaves out. */
export const UNUSABLE_CLASSES = ["mistyped", "disposable", "invalid", "no_mail", "blank"] as const;
/** Classes of rows that a person should look at. The report's clean list keeps them. */
export const DOUBTFUL_CLASSES = ["suspicious", "reserved", "hidden", "no_reply", "unknown"] as const;

/** What the report says about the addresses of each class. */
export const CLASS_MEANINGS: Readonly<Record<RowClass, string>> = {
  valid: "well-formed; says nothing about whether a mailbox exists",
  invalid: "malformed, or with a domain that can't exist",
  blank: "no address: empty or white space",
  disposable: "at a service for throwaway addresses",
  mistyped: "domain is a known misspelling, such as gmial.com",
  suspicious: "has letters of two scripts, typographic punctuation, or a domain that looks like another one",
  relay: "forwards to a hidden mailbox",
  public: "at a consumer mail provider such as Gmail",
  role: "shared inbox such as info@",
  no_reply: "says that no one reads its mail, such as noreply@",
  subaddressed: "has a tag, as in jane+news@gmail.com",
  reserved: "domain for examples and tests, such as example.com",
  unreserved: "valid, and neither reserved nor hidden",
  hidden: "stands in for a person's own address, such as GitHub's noreply, or is a machine's",
  work: "probably someone's at work",
  academic: "at a university or college",
  no_mail: "DNS says that the domain accepts no mail",
  unknown: "in no list, and DNS did not answer",
  duplicate: "same mailbox as an earlier or known row",
  known: "same mailbox as a row of --known",
};

/** Classes that people see as the verdict, the most important first. An address in none of them is "ok". */
const VERDICT_CLASSES: readonly RowClass[] = [
  "disposable",
  "relay",
  "public",
  "reserved",
  "hidden",
  "mistyped",
  "suspicious",
  "no_mail",
  "unknown",
];

/** Returns the verdict of the command line's table and of the page: the classes that it names, or "ok". */
export function verdictNames(classes: readonly RowClass[]): (RowClass | "ok")[] {
  if (classes.includes("invalid")) return ["invalid"];
  const selectFrom = (names: readonly RowClass[]): RowClass[] => names.filter((name) => classes.includes(name));
  const verdict = selectFrom(VERDICT_CLASSES);
  const inbox = classes.includes("no_reply") ? "no_reply" : "role";
  return [...(verdict.length === 0 ? (["ok"] as const) : verdict), ...selectFrom([inbox, "subaddressed"])];
}

export function classNames(bits: number): RowClass[] {
  return (Object.keys(ROW_CLASS) as RowClass[]).filter((name) => (bits & ROW_CLASS[name]) !== 0);
}

export function classBits(names: readonly RowClass[]): number {
  return names.reduce((bits, name) => bits | ROW_CLASS[name], 0);
}

/** Counts the rows of each class, from the counts of each combination of class bits. */
export function rowsByClass(counts: readonly (readonly [classes: number, rows: number])[]): Record<RowClass, number> {
  const rowsOfClass = (bit: number): number =>
    counts.reduce((sum, [classes, rows]) => ((classes & bit) === 0 ? sum : sum + rows), 0);
  const entries = Object.entries(ROW_CLASS).map(([name, bit]) => [name, rowsOfClass(bit)]);
  return Object.fromEntries(entries) as Record<RowClass, number>;
}

/** Rows to output, by class. */
export interface Selection {
  /** Class bits of rows to keep; 0 keeps all. */
  readonly select: number;
  /** Class bits of rows to drop, even if `select` keeps them. */
  readonly reject: number;
}

/** Reports whether a selection lets rows of these classes into the output. */
export function isSelected({ select, reject }: Selection, classes: number): boolean {
  return (classes & reject) === 0 && (select === 0 || (classes & select) !== 0);
}
