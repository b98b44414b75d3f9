// The texts of addrsift-channels(1) about channels at work: verification, deliveries, events. Tables are keyed by the types that they
// explain, so an event or a field without a text does not compile.

import { ATTEMPTS_MAX } from "../channels/delivery/retry.ts";
import type { EventData } from "../channels/events.ts";
import type { EventName } from "../channels/record.ts";
import type { Block, Section } from "./roff.ts";

interface EventText<Name extends EventName> {
  readonly when: string;
  readonly fields: Readonly<Record<keyof EventData[Name], string>>;
}

const EVENT_TEXTS: { readonly [Name in EventName]: EventText<Name> } = {
  "channel.test": {
    when: "Somebody tests the channel. It is sent to unverified channels too, once, whatever `events` says.",
    fields: { channel_id: "The channel's id." },
  },
  "detection.completed": {
    when: "A run of `addrsift detect --notify` has ended, whatever its status.",
    fields: {
      rows: "How many rows were classified.",
      classes: "An object: how many of them were of each class. A row may be of several.",
      duration_ms: "How long it took, in milliseconds.",
      exit_status: "The exit status: 0, 1, 2, 130 or 143.",
      data_version: "The version of the precomputed lists.",
    },
  },
  "lists.updated": {
    when: "Other lists are in use.",
    fields: {
      data_version: "Their version.",
      previous_data_version: "The version of those before.",
      disposable_added: "How many domains became disposable.",
      disposable_removed: "How many domains are disposable no more.",
    },
  },
  "lists.update_failed": {
    when: "The lists could not be updated; those in use stay.",
    fields: { data_version: "The version in use.", reason: "Why, in one line." },
  },
};

/** The sections of the page on `channels` behind its commands. */
export function channelsSections(): Section[] {
  return [VERIFICATION, DELIVERY, { title: "EVENTS", blocks: eventBlocks() }, SIGNATURES];
}

const VERIFICATION: Section = {
  title: "VERIFICATION",
  blocks: [
    "An unverified channel is sent nothing but tests.",
    "A webhook is verified by `channels test`: any 2xx answer will do. Redirects are not followed and count as failures.",
    "A mail channel is verified by a message that is sent when the channel is made, when its address changes, and by `channels test`. With `ADDRSIFT_PUBLIC_URL` (for the daemon also `--public-url`) it has a link to a page whose button verifies; opening the link changes nothing, for mail scanners open links. Without a public URL it has a token for `channels verify`. Link and token are good once, for 24 hours, for the address that they were sent to; a newer one ends them. One mailbox gets at most five such messages in 24 hours, whatever the channel, the team and the spelling. The message has no text of a user's in it.",
    "`ADDRSIFT_SMTP_URL` and `ADDRSIFT_SMTP_FROM` say how mail is sent. Each message has one recipient.",
  ],
};

const DELIVERY: Section = {
  title: "DELIVERY",
  blocks: [
    `An event is written to \`deliveries.json\` in the home before it is first sent, and tried up to ${ATTEMPTS_MAX} times in about two days: after 5 s, 30 s, 2 min, 10 min, 30 min, 2 h, 5 h, 10 h and 24 h, each a little longer by chance, or when \`Retry-After\` says, if that is later. Any 2xx answer is success. A 410 ends it and makes the channel unverified; a mailbox that is refused for good ends it as well. What is due while the channel is unverified waits for up to three days. A test is tried once, and refused when two tries are under way to the channel or eight to the team.`,
    "The daemon delivers what is due, whoever recorded it; so does `addrsift detect --notify`, for up to 30 s, and what is left then is tried again by the daemon or the next such call. A process that is killed loses nothing: after a minute another takes over. So an event may arrive twice, under the same id; at most two are on their way to one channel at the same time, and eight to one team.",
    "`channels deliveries` shows the last 30 days, at most 500 ended deliveries of each channel. A channel holds up to 2,000 undelivered events. When there are more than 5,000 in all, the oldest ended ones of the team with most are forgotten. A channel that is deleted takes its deliveries along. An undelivered event whose channel is not there, because an older copy of the store was put back, waits for 30 days; of such there are 5,000 at most.",
    "A channel or a delivery that a later version has made, of a type or with an event that this one does not know, is shown and kept as it is. Nothing is sent to such a channel, and such a delivery waits for that version.",
    "Requests go to public addresses alone. Loopback, private, link-local and all other special addresses are refused, by whatever spelling, redirect or DNS answer, unless `--allow-private` or `ADDRSIFT_ALLOW_PRIVATE` opens a range; so are ports that are not for HTTP. TLS certificates are verified. A request has 15 s, a message 30 s.",
  ],
};

const SIGNATURES: Section = {
  title: "SIGNATURES",
  blocks: [
    "Webhooks are signed as Standard Webhooks (https://www.standardwebhooks.com): libraries for many languages verify them. By hand: HMAC-SHA256 over the value of `webhook-id`, a dot, the value of `webhook-timestamp` (seconds since 1970), a dot and the body, with the octets behind `whsec_` as the key; in base64 with `v1,` before it, it must be among the values of `webhook-signature`, which are separated by spaces. Refuse times more than five minutes off, and take each `webhook-id` once.",
    "README has receivers for Node and Python.",
  ],
};

function eventBlocks(): Block[] {
  const blocks = Object.entries(EVENT_TEXTS).flatMap(([name, { when, fields }]): Block[] => [
    { heading: name },
    when,
    { terms: Object.entries(fields).map(([field, meaning]) => [`\`${field}\``, meaning] as const) },
  ]);
  return [
    "An event is a JSON object: `type` is its name, `version` is 1, `timestamp` says when it happened (ISO 8601, UTC), and `data` depends on the type. It has counts and versions, and never an address. New fields may come without a new version; a field that goes or changes its meaning raises it. The JSON Schemas are in the daemon's `/openapi.json`, under `webhooks`.",
    {
      lines: [
        '{"type":"detection.completed","version":1,',
        ' "timestamp":"2026-11-21T12:00:00.000Z",',
        ' "data":{"rows":3,"classes":{"valid":2,...},...}}',
      ],
    },
    ...blocks,
  ];
}
