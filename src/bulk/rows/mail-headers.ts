// Recognizes lines of a mail's header.

/** Matches the name of a mail header that contains only message identifiers. */
export const MESSAGE_ID_HEADER = /^[\s>+|-]*(?:[\w-]*message-id|in-reply-to|references|content-id)\s*:\s*(?=<|$)/i;
