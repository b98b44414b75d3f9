// The hand-written texts of the man pages about what is kept: channels and API keys.

import { EVENTS } from "../channels/record.ts";
import { SCOPES } from "../keys/record.ts";
import type { CommandText } from "./roff.ts";

export const KEYS_TEXT: CommandText = {
  description: [
    "`addrsift keys` makes, lists and revokes the API keys that `addrsift serve` asks for. A key belongs to one team and sees that team's channels alone.",
    "`keys create` prints the key, and nothing else, on standard output. It is kept as its SHA-256 only: what is lost can't be shown again, only replaced. A key is `adsf_`, 43 random base62 characters (256 bits) and 6 characters of a checksum, by which a mistyped key is told from a wrong one.",
    `The scopes are ${SCOPES.map((scope) => `\`${scope}\``).join(", ")}.`,
    "`--expires` takes hours, days or weeks (`12h`, `90d`, `52w`), a date (`2030-01-31`, its beginning in UTC) or a time with its zone (`2030-01-31T12:00:00Z`).",
    "`keys revoke` ends a key for good. Running daemons notice within a second; nothing needs a restart. The last use of a key is written at most once a minute.",
  ],
};

export const CHANNELS_TEXT: CommandText = {
  description: [
    "`addrsift channels` keeps a team's notification channels: where to send word of an event, by mail or to a webhook. The API of `addrsift serve` works on the same channels with the same rules.",
    "A channel of type `email` has an `address`, which must be well-formed and not disposable. A channel of type `webhook` has a `url` (http or https), `headers` that go with each request, and a `secret` by which requests are signed: `whsec_` and base64 of 24 to 64 bytes, made when it is left out and shown once. There may be 20 headers, of 8,192 bytes in all with their names; they may not name Host, Connection, Transfer-Encoding, Content-* or webhook-*. A channel may be made without a config and be completed later.",
    `\`events\`, separated by commas, are those that the channel is told of: ${EVENTS.map((name) => `\`${name}\``).join(", ")}. Default: all.`,
    "A new channel is not verified, and a change of address, url or secret makes it unverified again. A change of the url's origin drops headers and secret, unless they are given anew with it.",
    "Secrets are shown nowhere: `secret`, the values of headers, and all of the url after its host stand as `[redacted]`. They are never taken from the command line's own text, which other users can read: `secret`, `headers.NAME` and a url with credentials or a query are read from a file (`--config secret=@FILE`) or from standard input (`--config secret=@-`). One line break at the end is not part of the value.",
    "`channels update` changes what is given and leaves the rest; `--unset` takes a field away. A webhook whose secret is taken away gets another.",
  ],
  examples: [
    "A webhook whose url is a secret as a whole, with a header from the keyboard:",
    {
      lines: [
        "$ addrsift channels create --name chat --type webhook --config url=@url.txt \\",
        "    --config headers.X-Key=@-",
      ],
    },
  ],
};
