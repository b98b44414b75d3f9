// The hand-written texts of the man pages about what is kept: API keys.

import { SCOPES } from "../keys/record.ts";
import type { CommandText } from "./man-text.ts";

export const KEYS_TEXT: CommandText = {
  description: [
    "`addrsift keys` makes, lists and revokes the API keys that `addrsift serve` asks for. A key belongs to one team and sees that team's channels alone.",
    "`keys create` prints the key, and nothing else, on standard output. It is kept as its SHA-256 only: what is lost can't be shown again, only replaced. A key is `adsf_`, 43 random base62 characters (256 bits) and 6 characters of a checksum, by which a mistyped key is told from a wrong one.",
    `The scopes are ${SCOPES.map((scope) => `\`${scope}\``).join(", ")}.`,
    "`--expires` takes hours, days or weeks (`12h`, `90d`, `52w`), a date (`2030-01-31`, its beginning in UTC) or a time with its zone (`2030-01-31T12:00:00Z`).",
    "`keys revoke` ends a key for good. Running daemons notice within a second; nothing needs a restart. The last use of a key is written at most once a minute.",
  ],
};
