// The classifier's settings from the options of `detect` and `serve`: lists, syntax policy.

import { syntaxOptions } from "../../address/options.ts";
import type { MIN_CONFIDENCE, SYNTAX_OPTIONS } from "../../bulk/run/option-table.ts";
import type { Policy } from "../../bulk/run/settings.ts";
import type { ClassifierSetup } from "../../detection/classifier.ts";
import { createParserContext } from "../../detection/parser-context.ts";
import type { OverrideIndex } from "../../lists/overrides.ts";
import type { CompiledLists } from "../../lists/table.ts";
import type { OptionValues } from "../options/types.ts";

/** How many domains bulk work remembers; 65,536 are enough for millions of rows. */
export const BULK_CACHE_ENTRIES = 65_536;

/** The policy that the options set. */
export function policyOf(options: OptionValues<(typeof SYNTAX_OPTIONS)[number] | typeof MIN_CONFIDENCE>): Policy {
  return { syntax: syntaxOptions((name) => options[name]), minConfidence: options["min-confidence"] };
}

/** The lists and the overrides, which are known beforehand. */
export interface Known {
  readonly lists: CompiledLists;
  readonly overrides: OverrideIndex;
}

/** A classifier's setup over what is known, which remembers `cacheEntries` domains. */
export function classifierSetup(policy: Policy, { lists, overrides }: Known, cacheEntries: number): ClassifierSetup {
  return { lists, overrides, surroundings: createParserContext(lists), ...policy, cacheEntries };
}
