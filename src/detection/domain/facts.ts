// Everything about a domain that its detections depend on.

import type { SyntaxCode } from "../../address/faults.ts";
import type { ProviderRule } from "../../address/providers.ts";
import type { DomainVerdict } from "../verdict.ts";

export interface DomainFacts {
  readonly fault: SyntaxCode | undefined;
  /** Bytes from the start of the domain. */
  readonly faultOffset: number;
  readonly verdict: DomainVerdict;
  readonly provider: ProviderRule;
  /** `detail@user.example.com`: the first label is the user. */
  readonly isUserSubdomain: boolean;
  readonly mayHaveMailboxOverrides: boolean;
  /** The domain in A-labels, if that isn't the input in lower case. */
  readonly mappedDomain: Uint8Array | undefined;
  /** All domains with equal facts share this object. */
  readonly isShared: boolean;
}
