// Where things are in the kernel's memory, and numbers that the kernel and its host share. Both TypeScript and
// AssemblyScript read this file.

/** Words of 4 bytes that a run leaves: how many rows it answered, where the next one begins, where the output ends. */
export const ANSWERED = 0x240;
export const NEXT = 0x244;
export const WRITTEN = 0x248;
/** Of a row with something unknown: the entry for it, the row's variant, and the name's length. */
export const ENTRY = 0x24c;
export const VARIANT = 0x250;
export const NAME_LENGTH = 0x254;
/** The unknown domain, or word, in lower case. */
export const NAME = 0x260;
/** 32 bytes 0xff and 32 bytes 0: from 32 - n on, they keep the first n bytes. */
export const KEPT = 0x280;
/** Which bytes a local part and a domain may have, as bits by their low half, and the bit of each high half. */
export const LOCAL_LOW = 0x2c0;
export const DOMAIN_LOW = 0x2d0;
export const HIGH = 0x2e0;
/** By byte: whether a role's name may end before it, and its lower case. */
export const BREAKS = 0x300;
export const LOWERS = 0x400;
/** A copy of the entry that the last new one replaced. */
export const LEFT = 0x500;
/** Keys of JSON Lines, each after its length: those that are added, then that of the address, perhaps one of them. */
export const KEYS = 0x800;
export const KEYS_MAX = 48;
export const KEY_MAX = 127;
/**
 * How providers read a local part, 32 bytes each: the separator, a byte that needs the whole parser, whether dots are
 * ignored; from 16 on, the bytes that are ignored, as bits by their low half.
 */
export const RULES = 0x2000;
/** The lists' filter of how roles' names begin. */
export const ROLES = 0xc000;
/** Local parts that may be a role's name, 32 bytes each: the word, and from 16 on its kind. */
export const WORDS = 0xe000;
export const WORD_KIND_AT = 16;
/** By number: where a template is. It has the length of its bytes, the number of other parts, its rows, and parts. */
export const TEMPLATES = 0x20000;
export const TEMPLATES_MAX = 32_768;
export const TEMPLATE_ROWS_AT = 8;
export const PARTS_AT = 12;
/** A part's kind, and where its bytes are and how many. */
export const PART_BYTES = 12;
/**
 * An entry for each name that is kept: length, rule, rows, templates of the 8 variants, and the name. It is a domain,
 * or a dot and a top-level label, for all domains there that no list has.
 */
export const ENTRIES = 0x40000;
export const ENTRY_BYTES = 64;
export const RULE_AT = 1;
export const ROWS_AT = 4;
export const TEMPLATES_AT = 8;
export const DOMAIN_AT = 32;

export const DOMAIN_MAX = 32;
export const LOCAL_MAX = 64;
/**
 * A note: where its row begins, where rows of one mailbox differ, where its mailbox ends, its template, and where its
 * field in the counted column begins and ends.
 */
export const NOTE_BYTES = 24;
/** Rows that are noted together at most. */
export const NOTES_MAX = 128;

/** Forms of input. */
export const LINES = 0;
export const CSV = 1;
export const TSV = 2;
export const JSONL = 3;

/**
 * Why a run stopped: the next row does not end here; its domain, or this variant of row at it, is unknown; it needs the
 * whole parser; there is no room for another row of output; it is unknown whether its local part is a role's name.
 */
export const GO_ON = 0;
export const INCOMPLETE = 1;
export const UNKNOWN = 2;
export const ODD = 3;
export const FULL = 4;
export const WORD = 5;

/** Bits of a variant of row: it has a tag, its line ends in CR LF, its local part is a role's name. */
export const TAGGED = 1;
export const CRLF = 2;
export const ROLE = 4;
/** Beside these: the domain is not kept yet. */
export const NEW = 8;
/** Kinds of words beside ROLE: no role's name; one whose rows are not answered. */
export const PLAIN = 1;
export const STRANGE = 2;
/** In place of a template: such rows of the domain are not answered. */
export const REFUSED = 0xffff;

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
