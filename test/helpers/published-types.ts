// Checks that the types of the built library equal those of the sources. `tsc -p test` excludes this file, because the
// build may be older than the sources. test/command/built-shapes.test.ts compiles it after a build.

import { expectTypeOf } from "vitest";
import type * as published from "../../dist/types/library/index.d.ts";
import type * as own from "../../src/library/index.ts";

expectTypeOf<published.Match>().toEqualTypeOf<own.Match>();
expectTypeOf<published.DnsEvidence>().toEqualTypeOf<own.DnsEvidence>();
expectTypeOf<published.Explanation>().toExtend<own.Explanation>();
expectTypeOf<own.Explanation>().toExtend<published.Explanation>();
expectTypeOf<published.Detection>().toExtend<own.Detection>();
expectTypeOf<own.Detection>().toExtend<published.Detection>();
expectTypeOf<published.DomainDetection>().toExtend<own.DomainDetection>();
expectTypeOf<own.DomainDetection>().toExtend<published.DomainDetection>();
expectTypeOf<published.DetectionSource>().toEqualTypeOf<own.DetectionSource>();
