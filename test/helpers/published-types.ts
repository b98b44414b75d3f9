// The types of the built library are those of the sources. `tsc -p test` leaves this file out, because a build may be
// older than the sources; test/command/built-shapes.test.ts checks it after one.

import { expectTypeOf } from "vitest";
import type * as published from "../../dist/types/library/index.d.ts";
import type * as own from "../../src/library/index.ts";

expectTypeOf<published.Match>().toEqualTypeOf<own.Match>();
expectTypeOf<published.DnsEvidence>().toEqualTypeOf<own.DnsEvidence>();
expectTypeOf<published.Explanation>().toEqualTypeOf<own.Explanation>();
expectTypeOf<published.Detection>().toEqualTypeOf<own.Detection>();
expectTypeOf<published.DetectionSource>().toEqualTypeOf<own.DetectionSource>();
