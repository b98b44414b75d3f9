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
} as const;
export type RowClass = keyof typeof ROW_CLASS;

export function classNames(bits: number): RowClass[] {
  return (Object.keys(ROW_CLASS) as RowClass[]).filter((name) => (bits & ROW_CLASS[name]) !== 0);
}
