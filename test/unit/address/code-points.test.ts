// Tests code points that are not allowed in local parts and domains, and the UTF-8 decoder.

import { createHash } from "node:crypto";
import fc from "fast-check";
import punycode from "punycode/punycode.js";
import { expect, it } from "vitest";
import {
  codePointAt,
  isAssigned,
  isCombiningMark,
  isDisallowed,
  utf8Length,
} from "../../../src/address/code-points.ts";
import { encodeUtf8 } from "../../../src/base/bytes/bytes.ts";
import { verdictOf } from "../../helpers/classify.ts";

const INVISIBLE: readonly (readonly [name: string, codePoint: number])[] = [
  ["C1 control", 0x85],
  ["no-break space", 0xa0],
  ["soft hyphen", 0xad],
  ["Arabic letter mark", 0x61c],
  ["Mongolian vowel separator", 0x180e],
  ["en quad", 0x2000],
  ["zero width space", 0x200b],
  ["left-to-right mark", 0x200e],
  ["line separator", 0x2028],
  ["paragraph separator", 0x2029],
  ["left-to-right embedding", 0x202a],
  ["right-to-left override", 0x202e],
  ["narrow no-break space", 0x202f],
  ["word joiner", 0x2060],
  ["invisible times", 0x2062],
  ["right-to-left isolate", 0x2067],
  ["pop directional isolate", 0x2069],
  ["ideographic space", 0x3000],
  ["private use", 0xe000],
  ["noncharacter", 0xfdd0],
  ["byte-order mark", 0xfeff],
  ["interlinear annotation anchor", 0xfff9],
  ["replacement character", 0xfffd],
  ["noncharacter at a plane's end", 0xffff],
  ["musical format", 0x1d173],
  ["noncharacter of plane 1", 0x1fffe],
  ["language tag", 0xe0001],
  ["tag letter", 0xe0061],
  ["private use of plane 15", 0xf0000],
  ["last code point", 0x10ffff],
];

const SCALAR = fc.integer({ min: 0, max: 0x10ffff }).filter((value) => value < 0xd800 || value > 0xdfff);

it.each(INVISIBLE)("the parser rejects a local part or domain with a disallowed character: %s", (_, codePoint) => {
  const char = String.fromCodePoint(codePoint);
  expect(verdictOf(`a${char}b@example.com`)).toBe("unicode_disallowed");
  expect(verdictOf(`${char}@example.com`)).toBe("unicode_disallowed");
  expect(verdictOf(`"a${char}"@example.com`)).toBe("unicode_disallowed");
  expect(verdictOf(`a@exa${char}mple.com`)).toBe("unicode_disallowed");
});

it.each([0x200c, 0x200d])("the parser rejects a zero-width joiner in a local part: code point %i", (codePoint) => {
  expect(verdictOf(`a${String.fromCodePoint(codePoint)}b@example.com`)).toBe("unicode_disallowed");
});

it.each(["\ud800", "\udfff", "\udc00\ud800"])("the parser rejects a lone surrogate: %j", (surrogates) => {
  expect(verdictOf(`a${surrogates}@example.com`)).toBe("unicode_disallowed");
  expect(verdictOf(`a@${surrogates}.com`)).toBe("unicode_disallowed");
});

it.each(["\u0301", "\u20dd", "\u093f"])("a combining mark is rejected only at the start of a local part", (mark) => {
  expect(verdictOf(`${mark}a@example.com`)).toBe("unicode_leading_mark");
  expect(verdictOf(`"${mark}a"@example.com`)).toBe("unicode_leading_mark");
  expect(verdictOf(`x${mark}a@example.com`)).toBe("ok");
});

it("codePointAt decodes what TextEncoder encodes", () => {
  fc.assert(
    fc.property(SCALAR, (codePoint) => {
      const bytes = encodeUtf8(String.fromCodePoint(codePoint));
      expect(codePointAt(bytes, 0, bytes.length)).toBe(codePoint);
      expect(utf8Length(codePoint)).toBe(bytes.length);
    }),
  );
});

it("codePointAt rejects the same bytes as a fatal TextDecoder", () => {
  const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  const isRejected = (bytes: Uint8Array): boolean => {
    try {
      return Array.from(strict.decode(bytes)).length === 0;
    } catch {
      return true;
    }
  };
  const byte = fc.constantFrom(...Buffer.from("00417f808f909fa0bfc0c1c2dfe0edeff0f4f5ff", "hex"));
  fc.assert(
    fc.property(fc.array(byte, { minLength: 1, maxLength: 4 }), (array) => {
      const bytes = Uint8Array.from(array);
      let isInvalid = false;
      for (let i = 0; i < bytes.length && !isInvalid; ) {
        const codePoint = codePointAt(bytes, i, bytes.length);
        isInvalid = codePoint < 0;
        i += isInvalid ? 1 : utf8Length(codePoint);
      }
      expect(isInvalid).toBe(isRejected(bytes));
    }),
    { numRuns: 1000 },
  );
});

/** Code points of Unicode 15.0, except the private-use planes. */
function* assignedCodePoints(): Generator<number> {
  for (let codePoint = 0; codePoint < 0xf0000; codePoint += 1) {
    if (isAssigned(codePoint) && (codePoint < 0xd800 || codePoint > 0xdfff)) yield codePoint;
  }
}

it.each([
  ["never assigned", 0x38b],
  ["never assigned, in a block of letters", 0x380],
  ["of an unused plane", 0x5ffff],
  ["of Unicode 15.1", 0x2ebf0],
  ["of Unicode 16.0", 0xa7cb],
  ["of Unicode 17.0", 0xa7ce],
])("the parser rejects a local part or domain with a code point %s", (_, codePoint) => {
  const char = String.fromCodePoint(codePoint);
  for (const address of [`a${char}@example.com`, `${char}@example.com`, `"${char}"@example.com`, `a@${char}.com`]) {
    expect([address, verdictOf(address)]).toEqual([address, "unicode_disallowed"]);
  }
});

it("the parser accepts a code point of Unicode 15.0", () => {
  expect(verdictOf("\u{11f02}@example.com")).toBe("ok");
});

it("the parser rejects an A-label with a code point newer than Unicode 15.0", () => {
  expect(verdictOf(`a@xn--${punycode.encode("\u{2ebf0}")}.com`)).toBe("a_label_invalid");
  expect(verdictOf(`a@xn--${punycode.encode("\u{2ebe0}")}.com`)).toBe("ok");
});

it("case mapping, normalization and properties of accepted code points are the same on every Node version", () => {
  const records: string[] = [];
  const unassigned: number[] = [];
  for (const codePoint of assignedCodePoints()) {
    const char = String.fromCodePoint(codePoint);
    if (/\p{Cn}/u.test(char)) unassigned.push(codePoint);
    const forms = [char.toLowerCase(), char.normalize("NFC"), char.normalize("NFD")];
    records.push(JSON.stringify([codePoint, isDisallowed(codePoint), isCombiningMark(codePoint), ...forms]));
  }
  expect(unassigned).toEqual([]);
  const digest = createHash("sha256").update(records.join("")).digest("hex");
  expect([records.length, digest.slice(0, 16)]).toEqual([155_651, "c530c81145227485"]);
});
