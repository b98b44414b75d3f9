// The JSON Schemas (2020-12, as OpenAPI 3.1 uses them) of what goes in and out. Tests hold every answer against them.

import { SYNTAX_FAULTS } from "../../address/faults.ts";
import { CHANNEL_TYPES, EVENTS } from "../../channels/record.ts";
import { ROUTING_STATUSES } from "../../detection/routing.ts";
import { CONFIDENCES } from "../../lists/confidence.ts";
import { DOMAIN_KINDS } from "../../lists/domain-kinds.ts";
import { API_FAULTS } from "../http/faults.ts";
import { BATCH_MAX } from "../routes/detect/handlers.ts";

type Schema = Readonly<Record<string, unknown>>;

const TEXT: Schema = { type: "string" };
const FLAG: Schema = { type: "boolean" };
const COUNT: Schema = { type: "integer", minimum: 0 };
const TIME: Schema = { type: "string", format: "date-time" };

/** A reference to a schema of the document. */
export function reference(name: string): Schema {
  return { $ref: `#/components/schemas/${name}` };
}

function object(properties: Readonly<Record<string, Schema>>, optional: readonly string[] = []): Schema {
  const required = Object.keys(properties).filter((name) => !optional.includes(name));
  return { type: "object", properties, required, additionalProperties: false };
}

function listOf(items: Schema): Schema {
  return { type: "array", items };
}

function described(schema: Schema, description: string): Schema {
  return { ...schema, description };
}

const SUCCESS: Schema = { type: "string", const: "SUCCESS" };

const DETECTION: Readonly<Record<string, Schema>> = {
  Detection: { oneOf: [reference("ValidDetection"), reference("InvalidDetection")] },
  InvalidDetection: object(
    {
      email: described(TEXT, "The address as given."),
      syntax_validation: { type: "boolean", const: false },
      explain: reference("FaultExplanation"),
    },
    ["explain"],
  ),
  ValidDetection: object(
    {
      email: described(TEXT, "The address as given."),
      syntax_validation: { type: "boolean", const: true },
      normalized: described(TEXT, "One canonical address for all tag, dot, case and alias variants; for comparison."),
      subaddressing: described(FLAG, "A tag was recognised under the provider's rule."),
      role_address: described(
        FLAG,
        "The local part is a shared inbox (info, support-eu); at a public domain only when its whole name says so.",
      ),
      public_domain: described(FLAG, "The domain is a consumer (freemail) provider."),
      relay_domain: described(FLAG, "The domain is a privacy or forwarding relay."),
      relay_provider: described(TEXT, "The relay's identifier; present when relay_domain is true."),
      disposable: described(FLAG, "The domain is disposable."),
      detection_source: { type: "string", enum: ["precomputed", "live_dns", "override"] },
      explain: reference("Explanation"),
    },
    ["relay_provider", "explain"],
  ),
  FaultExplanation: object(
    {
      syntax_error: object({
        code: { type: "string", enum: Object.keys(SYNTAX_FAULTS) },
        offset: described(COUNT, "UTF-16 units from the start of email."),
        message: TEXT,
        reference: TEXT,
      }),
      suggestion: described(TEXT, "A likely intended address."),
      data_version: TEXT,
    },
    ["suggestion"],
  ),
  Explanation: object(
    {
      suggestion: described(TEXT, "A likely intended address."),
      local_part: TEXT,
      domain: described(TEXT, "In A-labels."),
      domain_unicode: TEXT,
      registrable_domain: TEXT,
      public_suffix: TEXT,
      smtputf8: described(FLAG, "The local part needs SMTPUTF8 (RFC 6531)."),
      canonicalization: object({ provider: TEXT, rules: listOf(TEXT), tag: TEXT }, ["tag"]),
      matches: listOf(reference("Match")),
      domain_kind: { type: "string", enum: DOMAIN_KINDS, description: "What the domain is known to be." },
      mail_provider: described(TEXT, "Whose mail exchangers the domain uses, where DNS was asked and they are known."),
      dns: reference("DnsEvidence"),
      warnings: listOf(TEXT),
      data_version: TEXT,
    },
    ["suggestion", "registrable_domain", "public_suffix", "domain_kind", "mail_provider", "warnings"],
  ),
  Match: object(
    {
      flag: {
        type: "string",
        enum: ["disposable", "relay_domain", "public_domain", "role_address", "protected", "parked"],
      },
      entry: TEXT,
      kind: { type: "string", enum: ["exact", "parent", "family", "role", "mx", "mx_address", "override"] },
      sources: listOf(TEXT),
      confidence: { type: "string", enum: CONFIDENCES },
      counted: described(FLAG, "False where the entry is below the least confidence that counts."),
      detail: TEXT,
    },
    ["confidence", "counted", "detail"],
  ),
  DnsEvidence: object(
    {
      status: { type: "string", enum: ROUTING_STATUSES },
      exchanges: listOf(object({ preference: COUNT, exchange: TEXT, addresses: listOf(TEXT) }, ["addresses"])),
      checked_at: TIME,
      duration_ms: { type: "number", minimum: 0 },
    },
    ["exchanges", "checked_at", "duration_ms"],
  ),
  DetectionAnswer: object({ code: SUCCESS, message: TEXT, data: reference("Detection") }),
  DetectionsAnswer: object({ code: SUCCESS, message: TEXT, data: listOf(reference("Detection")) }),
  DetectionBatch: object(
    {
      emails: { type: "array", items: TEXT, maxItems: BATCH_MAX },
      explain: described(FLAG, "Adds the evidence. Default: false."),
      dns: {
        oneOf: [{ type: "string", enum: ["on", "off"] }, FLAG],
        description: "Whether DNS may be asked about domains that no list settles. Default: on.",
      },
    },
    ["explain", "dns"],
  ),
};

const EVENT_LIST: Schema = {
  type: "array",
  items: TEXT,
  description: `The events wanted, of ${EVENTS.join(", ")}; all when left out. An answer may have one that only a later version knows.`,
};

const CONFIGS: Readonly<Record<string, Schema>> = {
  EmailConfig: object({ address: TEXT, events: EVENT_LIST }, ["address", "events"]),
  WebhookConfig: object(
    {
      url: described(TEXT, "http or https; redacted behind the host in answers."),
      headers: {
        type: "object",
        additionalProperties: TEXT,
        description: "At most 20, of 8,192 bytes in all with their names. Values are redacted in answers.",
      },
      secret: described(TEXT, "`whsec_` and base64 of 24 to 64 bytes; made when left out, and shown then alone."),
      events: EVENT_LIST,
    },
    ["url", "headers", "secret", "events"],
  ),
};

const LATER_CONFIG: Schema = {
  type: "object",
  additionalProperties: { type: "string", const: "[redacted]" },
  description: "Of a type that only a later version knows: every field is redacted.",
};

const NAME: Schema = { type: "string", minLength: 1, maxLength: 100, description: "Without control characters." };

const SHOWN_CHANNEL = {
  id: TEXT,
  name: NAME,
  type: described(TEXT, `One of ${CHANNEL_TYPES.join(", ")}, or the type of a channel that a later version made.`),
  config: { anyOf: [reference("EmailConfig"), reference("WebhookConfig"), reference("LaterConfig")] },
  is_verified: FLAG,
  created_at: TIME,
} as const;

const CHANNELS: Readonly<Record<string, Schema>> = {
  ...CONFIGS,
  LaterConfig: LATER_CONFIG,
  ChannelCreation: object(
    {
      name: NAME,
      type: { type: "string", enum: CHANNEL_TYPES },
      config: { anyOf: [reference("EmailConfig"), reference("WebhookConfig")] },
    },
    ["config"],
  ),
  ChannelChange: {
    type: "object",
    description: "A merge patch (RFC 7396): null takes a field away. What an answer shows may be sent back.",
    properties: {
      name: NAME,
      config: { type: ["object", "null"], description: "The fields of the type's config that change." },
    },
  },
  Channel: object(SHOWN_CHANNEL),
  ChannelAnswer: object(
    { code: SUCCESS, ...SHOWN_CHANNEL, message: described(TEXT, "What there is to do; absent when nothing.") },
    ["message"],
  ),
  ChannelsAnswer: object({ code: SUCCESS, message: TEXT, data: listOf(reference("Channel")) }),
  ToldAnswer: object({ code: SUCCESS, message: TEXT, id: TEXT, is_verified: FLAG }),
  Delivery: object(
    {
      id: described(TEXT, "The `webhook-id`, the same through all tries."),
      event: described(TEXT, `One of ${EVENTS.join(", ")}, or an event that only a later version knows.`),
      status: described(TEXT, "One of pending, delivered, failed, or a status that only a later version knows."),
      attempts: described(COUNT, "Tries so far."),
      created_at: TIME,
      last_attempt_at: TIME,
      next_attempt_at: described(TIME, "Only while it is pending."),
      last_error: TEXT,
    },
    ["last_attempt_at", "next_attempt_at", "last_error"],
  ),
  DeliveriesAnswer: object({ code: SUCCESS, message: TEXT, data: listOf(reference("Delivery")) }),
  DeletionAnswer: object({ code: SUCCESS, message: TEXT, id: TEXT }),
};

/** All schemas of the document by name. */
export const SCHEMAS: Readonly<Record<string, Schema>> = {
  ...DETECTION,
  ...CHANNELS,
  StatusAnswer: object({ code: SUCCESS, message: TEXT, data_version: TEXT }, ["data_version"]),
  OpenApiDocument: { type: "object", required: ["openapi", "info", "paths"] },
  Fault: object({
    code: { type: "string", enum: Object.keys(API_FAULTS) },
    message: described(TEXT, "What is wrong and what to do next."),
  }),
};
