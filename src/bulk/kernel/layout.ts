// The layout of the kernel's memory, and the constants that the kernel and its host share. TypeScript and AssemblyScript
// both compile this file.

/** Results of a run, 4 bytes each: number of processed rows, start of the next row, end of the output. */
export const PROCESSED_ROWS = 0x240;
export const NEXT_ROW = 0x244;
export const OUTPUT_END = 0x248;
/** Set when a run returns UNKNOWN_NAME: the entry of the name, the variant of the row, and the length of the name. */
export const ENTRY = 0x24c;
export const VARIANT = 0x250;
export const NAME_LENGTH = 0x254;
/** Result of a run: number of line feeds in quotes, in the processed rows. */
export const QUOTED_LINE_FEEDS = 0x258;
/** Set when a run returns UNKNOWN_NAME: the domain or local part, in lower case. */
export const NAME = 0x260;
/** 32 bytes of 0xff, then 32 of 0. The 32 bytes from index 32 - n on mask the first n bytes of a name. */
export const PREFIX_MASK = 0x280;
/** The canonical user of the current row: its local part without the tag (RFC 5233). */
export const USER = 0x2c0;
/** Lookup tables from a byte to its lower case. HOST_TABLE has 0 for bytes that host names can't contain. */
export const LOWERCASE_TABLE = 0x300;
export const HOST_TABLE = 0x400;
/** Copy of the last evicted entry. */
export const EVICTED = 0x500;
/**
 * Keys of JSON Lines, each preceded by its length: the added keys, then the key of the address, which may equal an
 * added one.
 */
export const KEYS = 0x800;
export const KEYS_MAX = 48;
export const KEY_MAX = 127;
/**
 * Providers' rules for local parts, a table of 256 entries each. The entry of a byte is its lower case, IGNORED, or 0
 * if the row needs the full parser. The entry of the tag separator also has the bit SEPARATOR.
 */
export const LOCAL_PART_RULES = 0x2000;
export const IGNORED = 1;
export const SEPARATOR = 0x80;
/** Bloom filter of the first letters of role names. */
export const ROLE_PREFIXES = 0xc000;
/**
 * A template: the total length of its constant bytes, the number of its other parts, the number of rows written from
 * it, and its parts.
 */
export const TEMPLATE_ROWS_AT = 8;
export const PARTS_AT = 12;
/** A part of a template: its kind, and the offset and length of its bytes. */
export const PART_BYTES = 12;
/**
 * Hash table of names. An entry has the length of the name, the number of the rule, the number of rows, the template of
 * each variant, and the name. A name is a domain; or a dot and a top-level label, for all its unlisted domains; or a
 * local part that may be a role name.
 */
export const ENTRIES = 0x10000;
export const ENTRY_BYTES = 64;
export const RULE_AT = 1;
/**
 * Values in place of the number of a rule. NOT_LEARNED: the domain has no rule yet. UNSUPPORTED_DOMAIN: all rows of
 * the domain need the full parser.
 */
export const NOT_LEARNED = 0;
export const UNSUPPORTED_DOMAIN = 1;
export const ROWS_AT = 4;
export const TEMPLATES_AT = 8;
export const DOMAIN_AT = 32;

export const NAME_MAX = 32;
export const LOCAL_MAX = 64;
/**
 * Record of a processed row, for --by and duplicates. Its words: the start of the row's output, the offset where the
 * output of first and later rows of a mailbox differs, the end of the mailbox, the template, and the start and end of
 * the --by field.
 */
export const ROW_RECORD_BYTES = 24;
/** Maximum row records per run. */
export const ROW_RECORDS_MAX = 128;

/** Forms of input. RECORDS have no quotes: lines and TSV. */
export const RECORDS = 0;
export const CSV = 1;
export const JSONL = 2;

/**
 * Why a run stopped at a row. NEED_INPUT: the row is incomplete. UNKNOWN_NAME: a name or a variant must be learned.
 * UNSUPPORTED_ROW: the row needs the full parser. OUTPUT_FULL: the output or the row records are full.
 */
export const CONTINUE = 0;
export const NEED_INPUT = 1;
export const UNKNOWN_NAME = 2;
export const UNSUPPORTED_ROW = 3;
export const OUTPUT_FULL = 4;

/** Variants of rows at a domain, as bits. TAGGED: the address has a tag. ROLE: the local part is a role name. */
export const VARIANTS = 4;
export const TAGGED = 1;
export const ROLE = 2;
/** Marks an entry whose name is a local part. In place of a template, it has ROLE, NO_ROLE or NOT_SUPPORTED. */
export const LOCAL_PART = 4;
export const NO_ROLE = 4;
/** In place of a template: rows of this variant need the full parser. */
export const NOT_SUPPORTED = 1;

/**
 * Kinds of template parts: constant bytes, or a part of the row, with numbers above those of bytes. Fields are added
 * between LINE and LINE_REST. The output between MAILBOX_START and MAILBOX_END is the mailbox, which the row record
 * refers to.
 */
export const BYTES = 1;
export const LINE = 0x100;
export const ADDRESS = 0x101;
export const CANONICAL = 0x102;
export const DOMAIN = 0x103;
export const MAILBOX_START = 0x104;
export const MAILBOX_END = 0x105;
export const LINE_REST = 0x106;
