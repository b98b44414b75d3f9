// Texts of any code points. fast-check has them as the unit "binary", which spends a second on a table of them all.

import fc from "fast-check";

const codePoint = fc.oneof(fc.nat(0x7f), fc.nat(0xd7ff), fc.integer({ min: 0xe000, max: 0x10ffff }));
const unit = codePoint.map((number) => String.fromCodePoint(number));

export const anyText = (limits: fc.StringConstraints = {}): fc.Arbitrary<string> => fc.string({ ...limits, unit });
