// Where things are in the kernel's memory, and numbers that the kernel and its host share. Both TypeScript and
// AssemblyScript read this file.

/** Words of 4 bytes that a run leaves: how many rows it answered, where the next one begins, where the output ends. */
export const ANSWERED = 0x240;
export const NEXT = 0x244;
export const WRITTEN = 0x248;
/** Of a row with something unknown: the entry for it, the variant of row, and the name's length. */
export const ENTRY = 0x24c;
export const VARIANT = 0x250;
export const NAME_LENGTH = 0x254;
/** The unknown domain, or local part, in lower case. */
export const NAME = 0x260;
/** 32 bytes 0xff and 32 bytes 0: from 32 - n on, they keep the first n bytes. */
export const KEPT = 0x280;
/** The canonical user of the current row. */
export const USER = 0x2c0;
/** By byte: its lower case; and that of a byte of a domain, 0 for another one. */
export const LOWERS = 0x300;
export const HOSTS = 0x400;
/** A copy of the entry that the last new one replaced. */
export const LEFT = 0x500;
/** Keys of JSON Lines, each after its length: those that are added, then that of the address, perhaps one of them. */
export const KEYS = 0x800;
export const KEYS_MAX = 48;
export const KEY_MAX = 127;
/**
 * How providers read a local part, 256 bytes each: by byte, its lower case, IGNORED, or 0 where the whole parser is
 * needed. The separator has one bit more.
 */
export const RULES = 0x2000;
export const IGNORED = 1;
export const SEPARATOR = 0x80;
/** The lists' filter of how roles' names begin. */
export const ROLES = 0xc000;
/** A template has the length of its bytes, the number of other parts, its rows, and parts. */
export const TEMPLATE_ROWS_AT = 8;
export const PARTS_AT = 12;
/** A part's kind, and where its bytes are and how many. */
export const PART_BYTES = 12;
/**
 * An entry for each name that is kept: length, rule, rows, where the templates of the variants are, and the name. It is
 * a domain, a dot and a top-level label for all domains there that no list has, or a local part that may be a role's
 * name.
 */
export const ENTRIES = 0x10000;
export const ENTRY_BYTES = 64;
export const RULE_AT = 1;
export const ROWS_AT = 4;
export const TEMPLATES_AT = 8;
export const DOMAIN_AT = 32;

export const NAME_MAX = 32;
export const LOCAL_MAX = 64;
/**
 * A note: where its row begins, where rows of one mailbox differ, where its mailbox ends, its template, and where its
 * field in the counted column begins and ends.
 */
export const NOTE_BYTES = 24;
/** Rows that are noted together at most. */
export const NOTES_MAX = 128;

/** Forms of input: records whose fields have no quotes, as lines and TSV; CSV; JSON Lines. */
export const RECORDS = 0;
export const CSV = 1;
export const JSONL = 2;

/**
 * Why a run stopped: the next row does not end here; its domain, this variant of row at it, or whether its local part
 * is a role's name, is unknown; it needs the whole parser; there is no room for another row of output.
 */
export const GO_ON = 0;
export const INCOMPLETE = 1;
export const UNKNOWN = 2;
export const ODD = 3;
export const FULL = 4;

/** Variants of row at a domain, by the bits of each: it has a tag, its local part is a role's name. */
export const VARIANTS = 4;
export const TAGGED = 1;
export const ROLE = 2;
/** Behind the variants: the name is a local part, and in place of its template is ROLE, or PLAIN for no role's name. */
export const LOCAL = 4;
export const PLAIN = 1;
/** In place of a template: such rows of the domain are not answered. */
export const REFUSED = 1;

/**
 * Parts of a template: bytes, and those of the row, which are no bytes. Additions go between LINE and REST. What is
 * between OPEN and CLOSE is the row's mailbox, which is noted.
 */
export const BYTES = 1;
export const LINE = 0x100;
export const ADDRESS = 0x101;
export const CANONICAL = 0x102;
export const DOMAIN = 0x103;
export const OPEN = 0x104;
export const CLOSE = 0x105;
export const REST = 0x106;
