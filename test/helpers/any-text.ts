// Generates text of any code points. fast-check's unit "binary" does so too, but takes a second to build its table.

import fc from "fast-check";

const codePoint = fc.oneof(fc.nat(0x7f), fc.nat(0xd7ff), fc.integer({ min: 0xe000, max: 0x10ffff }));
const unit = codePoint.map((number) => String.fromCodePoint(number));

export const anyText = (limits: fc.StringConstraints = {}): fc.Arbitrary<string> => fc.string({ ...limits, unit });
