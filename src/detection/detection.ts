// Shapes of results, shared by command line, HTTP API, library and manual.

import {
  choice,
  closedObject,
  flag,
  listOf,
  literal,
  named,
  optional,
  rawSchema,
  type Shape,
  type Static,
  type TObject,
  text,
  type WithAbsent,
} from "../base/shapes.ts";
import { ROW_CLASS, type RowClass } from "./classes.ts";
import { ADDRESS_EXPLANATION, ANY_EXPLANATION, DOMAIN_EXPLANATION, FAULT_EXPLANATION } from "./evidence.ts";

const EMAIL = text(
  "The address as given. In output, bytes that are not UTF-8 become U+FFFD, and it is truncated at 1,024 characters " +
    "with an ellipsis.",
);
const SYNTAX_MEANING =
  "False when the address or domain is malformed or its suffix is invalid. Then only requested additions follow, such as " +
  "`explain`.";
const DOMAIN_FLAGS = {
  public_domain: flag("The domain is a consumer (freemail) mailbox provider."),
  relay_domain: flag(
    "The domain is a privacy or forwarding relay. A relay is never disposable unless an override says so.",
  ),
  relay_provider: optional(
    text("Present when `relay_domain` is true. The identifier of the relay, such as `apple_hide_my_email`."),
  ),
  disposable: flag("The domain belongs to a disposable email service."),
  detection_source: choice(["precomputed", "live_dns", "override"], "How `disposable` was determined."),
};

export type DomainFlags = Static<TObject<typeof DOMAIN_FLAGS>>;
export type DetectionSource = DomainFlags["detection_source"];

export const INVALID_DETECTION = named(
  "InvalidDetection",
  closedObject(
    {
      email: EMAIL,
      syntax_validation: literal(false, { description: SYNTAX_MEANING }),
      explain: optional(FAULT_EXPLANATION),
    },
    "The result for a malformed address.",
  ),
);

export const VALID_DETECTION = named(
  "ValidDetection",
  closedObject(
    {
      email: EMAIL,
      syntax_validation: literal(true, { description: SYNTAX_MEANING }),
      normalized: text(
        "One canonical address for all tag, dot, letter-case and alias variants, by the rules of its provider. " +
          "It is for comparison: mail goes to the address as given. Canonicalizing it again changes nothing.",
      ),
      subaddressing: flag(
        "A tag was recognized under the provider's rule, such as `+news` at Gmail and `-news` at Yahoo. Some " +
          "providers have no tags: at GMX, web.de, mail.com, T-Online, Tuta, NetEase, QQ, Libero, La Poste, " +
          "Rediff and AOL a `+` is part of the name.",
      ),
      role_address: flag(
        "The local part is a shared inbox: a role's name such as `info`, or such a name with a separator or " +
          "digits after it (`support-eu`, `sales2`). At a public domain only the whole name counts: " +
          "`info@gmail.com`, but not `info.john@gmail.com`.",
      ),
      ...DOMAIN_FLAGS,
      explain: optional(ADDRESS_EXPLANATION),
    },
    "The result for a well-formed address.",
  ),
);

export type ValidDetection = Static<typeof VALID_DETECTION>;

export type InvalidDetection = WithAbsent<Static<typeof INVALID_DETECTION>, ValidDetection>;

const DOMAIN = text(
  "The domain as given; an address is accepted too. In output it is truncated at 1,024 characters with an ellipsis.",
);

export const INVALID_DOMAIN_DETECTION = named(
  "InvalidDomainDetection",
  closedObject(
    {
      domain: DOMAIN,
      syntax_validation: literal(false, { description: SYNTAX_MEANING }),
      explain: optional(FAULT_EXPLANATION),
    },
    "The result for a malformed domain.",
  ),
);

export const VALID_DOMAIN_DETECTION = named(
  "ValidDomainDetection",
  closedObject(
    {
      domain: DOMAIN,
      syntax_validation: literal(true, { description: SYNTAX_MEANING }),
      normalized: text(
        "The domain in lower-case A-labels; if it is an alias of a provider's domain, that domain. It is for " +
          "comparison.",
      ),
      ...DOMAIN_FLAGS,
      explain: optional(DOMAIN_EXPLANATION),
    },
    "The result for a well-formed domain.",
  ),
);

export type ValidDomainDetection = Static<typeof VALID_DOMAIN_DETECTION>;
export type InvalidDomainDetection = WithAbsent<Static<typeof INVALID_DOMAIN_DETECTION>, ValidDomainDetection>;

export type Detection = InvalidDetection | ValidDetection;
export type DomainDetection = InvalidDomainDetection | ValidDomainDetection;

const CLASSES = optional(
  listOf(
    // Only rows of a file are blank, duplicates or known: an empty string is an invalid address.
    choice((Object.keys(ROW_CLASS) as RowClass[]).filter((name) => !/^(blank|duplicate|known)$/.test(name))),
    "The classes, if requested, as in `addrsift detect --select`. `no_mail`: according to DNS, the domain accepts no " +
      "mail. `unknown`: no list has the domain, and DNS did not answer, such as at a timeout.",
  ),
);

/** Shape of a result in the OpenAPI document: valid or invalid, with classes. */
export const DETECTION: Shape = {
  ...unionOf("Detection", VALID_DETECTION, INVALID_DETECTION),
  examples: [
    {
      email: "jane.doe+news@gmail.com",
      syntax_validation: true,
      normalized: "janedoe@gmail.com",
      subaddressing: true,
      role_address: false,
      public_domain: true,
      relay_domain: false,
      disposable: false,
      detection_source: "precomputed",
    } satisfies ValidDetection,
  ],
};
export const DOMAIN_DETECTION: Shape = unionOf("DomainDetection", VALID_DOMAIN_DETECTION, INVALID_DOMAIN_DETECTION);

/**
 * Returns the union of both shapes, valid first: some generated clients use the first shape that fits, and valid results
 * fit both. Clients of typescript-fetch merge the shapes, so a field must be the same in both.
 */
function unionOf(name: string, valid: TObject, invalid: TObject): Shape {
  const description = "A valid result if `syntax_validation` is true, otherwise an invalid one.";
  return named(name, rawSchema({ description, anyOf: [withClasses(valid), withClasses(invalid)] }));
}

function withClasses({ $id = "", properties, description }: TObject): Shape {
  const additions = { classes: CLASSES, explain: optional(ANY_EXPLANATION) };
  return named($id, closedObject({ ...properties, ...additions }, description));
}
