// Size limits of an address. Lengths are in octets: UTF-8 for the local part, A-labels for the domain.

/** Local part, RFC 5321 §4.5.3.1.1. */
export const LOCAL_PART_MAX = 64;
/** Label, RFC 1035 §2.3.4. */
export const LABEL_MAX = 63;
/**
 * Domain in A-labels without the root's dot, RFC 1035 §2.3.4 (255 octets on the wire). RFC 5321 §4.5.3.1.2 says 255, but DNS
 * can't be asked about a longer name.
 */
export const DOMAIN_MAX = 253;
/** Whole address: the path of RFC 5321 §4.5.3.1.3 has 256 octets, two of them angle brackets (RFC 3696 erratum 1690). */
export const ADDRESS_MAX = 254;
/**
 * Domain as written, before UTS #46 maps it: 253 code points of at most 4 octets each, and as many octets again for what the
 * mapping removes. A longer one is refused unread.
 */
export const DOMAIN_INPUT_MAX = 2048;
