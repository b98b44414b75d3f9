// What is said of an address: the result type that the command line, the HTTP API and the library share.

import type { Explanation } from "./evidence.ts";

/** How the disposable classification was reached. */
export type DetectionSource = "precomputed" | "live_dns" | "override";

/** The result for a malformed address: nothing else was checked. */
export interface InvalidDetection {
  /** The address as given. */
  email: string;
  syntax_validation: false;
  explain?: Explanation;
}

/** The result for a well-formed address. */
export interface ValidDetection {
  /** The address as given. */
  email: string;
  syntax_validation: true;
  /** One canonical address for all tag, dot, case and alias variants; for comparison, not for sending. */
  normalized: string;
  /** A tag was recognised under the provider's rule. */
  subaddressing: boolean;
  /** The local part is a shared inbox; at a public domain only when it is a role's whole name. */
  role_address: boolean;
  /** The domain is a consumer (freemail) provider. */
  public_domain: boolean;
  /** The domain is a privacy or forwarding relay. */
  relay_domain: boolean;
  /** The relay's identifier; present when `relay_domain` is true. */
  relay_provider?: string;
  disposable: boolean;
  detection_source: DetectionSource;
  explain?: Explanation;
}

/** What is said of one address. Keys stand in the order of the type. */
export type Detection = InvalidDetection | ValidDetection;
