// Code points that no address may hold, in local part and domain, and the UTF-8 decoder that finds them.

import { createHash } from "node:crypto";
import fc from "fast-check";
import punycode from "punycode/punycode.js";
import { describe, expect, it } from "vitest";
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

describe("an invisible or private code point", () => {
  it.each(INVISIBLE)("%s is refused everywhere", (_, codePoint) => {
    const char = String.fromCodePoint(codePoint);
    expect(verdictOf(`a${char}b@example.com`)).toBe("unicode_disallowed");
    expect(verdictOf(`${char}@example.com`)).toBe("unicode_disallowed");
    expect(verdictOf(`"a${char}"@example.com`)).toBe("unicode_disallowed");
    expect(verdictOf(`a@exa${char}mple.com`)).toBe("unicode_disallowed");
  });

  it.each([0x200c, 0x200d])("the joiner %i is refused in a local part", (codePoint) => {
    expect(verdictOf(`a${String.fromCodePoint(codePoint)}b@example.com`)).toBe("unicode_disallowed");
  });

  it.each(["\ud800", "\udfff", "\udc00\ud800"])("a lone surrogate is refused", (surrogates) => {
    expect(verdictOf(`a${surrogates}@example.com`)).toBe("unicode_disallowed");
    expect(verdictOf(`a@${surrogates}.com`)).toBe("unicode_disallowed");
  });
});

describe("a combining mark", () => {
  it.each(["\u0301", "\u20dd", "\u093f"])("may not begin a local part, and may be within", (mark) => {
    expect(verdictOf(`${mark}a@example.com`)).toBe("unicode_leading_mark");
    expect(verdictOf(`"${mark}a"@example.com`)).toBe("unicode_leading_mark");
    expect(verdictOf(`x${mark}a@example.com`)).toBe("ok");
  });
});

describe("the UTF-8 decoder", () => {
  it("reads every code point that the platform writes", () => {
    fc.assert(
      fc.property(SCALAR, (codePoint) => {
        const bytes = encodeUtf8(String.fromCodePoint(codePoint));
        expect(codePointAt(bytes, 0, bytes.length)).toBe(codePoint);
        expect(utf8Length(codePoint)).toBe(bytes.length);
      }),
    );
  });

  it("refuses exactly what the platform's strict decoder refuses", () => {
    const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
    const refused = (bytes: Uint8Array): boolean => {
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
        let ours = false;
        for (let i = 0; i < bytes.length && !ours; ) {
          const codePoint = codePointAt(bytes, i, bytes.length);
          ours = codePoint < 0;
          i += ours ? 1 : utf8Length(codePoint);
        }
        expect(ours).toBe(refused(bytes));
      }),
      { numRuns: 1000 },
    );
  });
});

/** Every code point of Unicode 15.0, without the planes for private use. */
function* assigned(): Generator<number> {
  for (let codePoint = 0; codePoint < 0xf0000; codePoint += 1) {
    if (isAssigned(codePoint) && (codePoint < 0xd800 || codePoint > 0xdfff)) yield codePoint;
  }
}

describe("Unicode", () => {
  it.each([
    ["never assigned", 0x38b],
    ["never assigned, in a block of letters", 0x380],
    ["of no plane in use", 0x5ffff],
    ["of version 15.1", 0x2ebf0],
    ["of version 16.0", 0xa7cb],
    ["of version 17.0", 0xa7ce],
  ])("a code point %s is refused everywhere", (_, codePoint) => {
    const char = String.fromCodePoint(codePoint);
    for (const address of [`a${char}@example.com`, `${char}@example.com`, `"${char}"@example.com`, `a@${char}.com`]) {
      expect([address, verdictOf(address)]).toEqual([address, "unicode_disallowed"]);
    }
  });

  it("a code point of version 15.0 is not", () => {
    expect(verdictOf("\u{11f02}@example.com")).toBe("ok");
  });

  it("an A-label of one is refused as well", () => {
    expect(verdictOf(`a@xn--${punycode.encode("\u{2ebf0}")}.com`)).toBe("a_label_invalid");
    expect(verdictOf(`a@xn--${punycode.encode("\u{2ebe0}")}.com`)).toBe("ok");
  });

  it("Unicode is the same on every Node: all that is asked of the platform about code points that are accepted", () => {
    const said: string[] = [];
    const missing: number[] = [];
    for (const codePoint of assigned()) {
      const char = String.fromCodePoint(codePoint);
      if (/\p{Cn}/u.test(char)) missing.push(codePoint);
      const forms = [char.toLowerCase(), char.normalize("NFC"), char.normalize("NFD")];
      said.push(JSON.stringify([codePoint, isDisallowed(codePoint), isCombiningMark(codePoint), ...forms]));
    }
    expect(missing).toEqual([]);
    const digest = createHash("sha256").update(said.join("")).digest("hex");
    expect([said.length, digest.slice(0, 16)]).toEqual([155_651, "c530c81145227485"]);
  });
});
