// Recognizes lines of a mail's header, and rewritten return paths.

/** Matches the name of a mail header that contains only message identifiers. */
export const MESSAGE_ID_HEADER =
  /^[\s>+|-]*(?:(?:\w[\w-]*)?message-id|in-reply-to|references|content-id)\s*:\s*(?=<|$)/i;

/** Matches the local part of a rewritten return path, which contains another address (SRS, BATV). */
export const RETURN_PATH = /^(?:srs[01][=+-]|(?:b?prvs|btv1)=)[\w.=+-]+$/i;
