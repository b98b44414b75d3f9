// The evidence of a detection as a list of facts.

import type { ComponentChildren } from "preact";
import { escapeInvisible } from "../../base/format-text.ts";
import type { ValidDetection } from "../../detection/detection.ts";
import type { DnsEvidence, Match } from "../../detection/evidence.ts";
import { Fact } from "../common/charts.tsx";
import { humanize } from "../common/text.ts";
import { type CheckResult, DNS_STATUS_TEXTS, describeMatch, evidenceOf, listLabels } from "./verdict.ts";

export function Evidence({ result }: { readonly result: CheckResult }): ComponentChildren {
  const labels = listLabels(result);
  const { syntax_error: fault, matches = [], dns, warnings = [] } = evidenceOf(result);
  return (
    <dl class="lines">
      {result.corrected_from !== undefined && (
        <Fact name="Corrected from">
          <Address text={result.corrected_from} />
        </Fact>
      )}
      {fault !== undefined && (
        <Fact name="Rule">
          {fault.reference} <code>{fault.code}</code>
        </Fact>
      )}
      {result.syntax_validation && <Parts detection={result} />}
      {labels.length > 0 && <Fact name="Labels">{labels.join(", ")}</Fact>}
      {matches.length > 0 && (
        <Fact name="Matches">
          <ul>
            {matches.map((match) => (
              <li key={`${match.flag} ${match.entry} ${match.kind}`}>
                <MatchLine match={match} />
              </li>
            ))}
          </ul>
        </Fact>
      )}
      {dns !== undefined && (
        <Fact name="DNS">
          <Dns dns={dns} />
        </Fact>
      )}
      {warnings.length > 0 && <Fact name="Warnings">{warnings.map(humanize).join(", ")}</Fact>}
    </dl>
  );
}

function Parts({ detection }: { readonly detection: ValidDetection }): ComponentChildren {
  const evidence = evidenceOf(detection);
  const { canonicalization, domain_unicode: unicode, domain, registrable_domain: registrable, smtputf8 } = evidence;
  const rules = canonicalization?.rules ?? [];
  return (
    <>
      <Fact name="Canonical form">
        <Address text={detection.normalized} />
        {rules.length > 0 && <span class="note"> {rules.map(humanize).join(", ")}</span>}
      </Fact>
      {canonicalization?.tag !== undefined && (
        <Fact name="Tag">
          <Address text={canonicalization.tag} />
        </Fact>
      )}
      <Fact name="Domain">
        <Address text={unicode ?? ""} />
        {unicode !== domain && <span class="note"> {domain}</span>}
        {registrable !== undefined && registrable !== domain && <span class="note"> subdomain of {registrable}</span>}
      </Fact>
      {smtputf8 === true && <Fact name="Needs">SMTPUTF8 (RFC 6531), which some mail servers lack</Fact>}
    </>
  );
}

function MatchLine({ match }: { readonly match: Match }): ComponentChildren {
  const { flag, entry, sources, detail } = match;
  return (
    <>
      <Address text={entry} /> {describeMatch(match)}
      {detail !== undefined && detail !== entry && (
        <span>{flag === "mistyped" ? ` for ${detail}` : `; ${escapeInvisible(humanize(detail))}`}</span>
      )}
      <span class="note"> {escapeInvisible(sources.join(", "))}</span>
    </>
  );
}

function Dns({ dns }: { readonly dns: DnsEvidence }): ComponentChildren {
  const { status, exchanges = [] } = dns;
  return (
    <>
      {DNS_STATUS_TEXTS[status]}
      {exchanges.length > 0 && (
        <ul>
          {exchanges.map(({ preference, exchange }) => (
            <li key={exchange}>
              <Address text={exchange} /> <span class="note">{preference}</span>
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

type AddressProps = Readonly<{ text: string; offset?: number | undefined }>;

/** Shows an address or a name, and marks the character at `offset`, which is in UTF-16 units. */
export function Address({ text, offset }: AddressProps): ComponentChildren {
  if (offset === undefined) return <bdi class="address">{escapeInvisible(text)}</bdi>;
  const before = text.slice(0, offset);
  const [character = ""] = text.slice(offset);
  return (
    <bdi class="address faulty">
      {escapeInvisible(before)}
      <mark>{character === "" ? "\u00a0" : escapeInvisible(character)}</mark>
      {escapeInvisible(text.slice(offset + character.length))}
      <span class="hidden-text">, fault at character {Array.from(before).length + 1}</span>
    </bdi>
  );
}
