// Tests suggested corrections: shown in the evidence, never applied, always valid.

import fc from "fast-check";
import { expect, it } from "vitest";
import { suggestAddress } from "../../../src/address/suggestion.ts";
import { maintainedLists } from "../../helpers/build-inputs.ts";
import { classify, lists, verdictOf } from "../../helpers/classify.ts";
import { sampleSize } from "../../helpers/sampling.ts";

const suggestionFor = (address: string): string | undefined => classify(address).explanation.suggestion;

const SUGGESTED: readonly (readonly [address: string, suggestion: string])[] = [
  ["anna@gmial.com", "anna@gmail.com"],
  ["Anna.B+x@gmial.com", "Anna.B+x@gmail.com"],
  ["anna@GMIAL.COM", "anna@gmail.com"],
  ["anna＠example.com", "anna@example.com"],
  ["anna﹫example.com", "anna@example.com"],
  ["anna＠gmial.com", "anna@gmail.com"],
  [" anna@example.com", "anna@example.com"],
  ["anna@example.com\n", "anna@example.com"],
  ["anna @example.com", "anna@example.com"],
  ["anna@ example.com", "anna@example.com"],
  ["Anna Beck <anna@example.com>", "anna@example.com"],
  ["<anna@example.com>", "anna@example.com"],
  ["mailto:anna@example.com", "anna@example.com"],
  ["E-mail: anna@gmial.com", "anna@gmail.com"],
  ["Email address: anna@example.com", "anna@example.com"],
  ["anna@example.com (work)", "anna@example.com"],
  ["anna@example.com/", "anna@example.com"],
  ["anna@example,com", "anna@example.com"],
  ["anna@example..com", "anna@example.com"],
  ["anna@example.com.", "anna@example.com"],
  ["anna@.example.com", "anna@example.com"],
  ["anna@exa\u200bmple.com", "anna@example.com"],
  ["\ufeffanna@example.com", "anna@example.com"],
  ["anna\ufeffsmith@example.com", "annasmith@example.com"],
  ["anna@aol.con", "anna@aol.com"],
  ["anna@microsoft.con", "anna@microsoft.com"],
  ["anna@duck.con", "anna@duck.com"],
  ['"anna@gmail.com"', "anna@gmail.com"],
  ["'anna@gmail.com'", "anna@gmail.com"],
  ["“anna@gmail.com”", "anna@gmail.com"],
  ["anna@gmailcom", "anna@gmail.com"],
  ["anna@example.com <anna@example.com>", "anna@example.com"],
  ["anna@gmаil.com", "anna@gmail.com"],
  ["anna@xn--gmil-63d.com", "anna@gmail.com"],
  ["anna@outlóok.com", "anna@outlook.com"],
  ["anna.@example.com", "anna@example.com"],
  ["anna@@example.com", "anna@example.com"],
  ["anna@ @example.com", "anna@example.com"],
  ["anna[at]example.com", "anna@example.com"],
  ["anna (at) example.com", "anna@example.com"],
  ["anna[@]example.com", "anna@example.com"],
  ["anna at example.com", "anna@example.com"],
  ["anna [at] example [dot] com", "anna@example.com"],
  ["anna dot beck at example dot com", "anna.beck@example.com"],
  ["ａnna＠gmail．com", "anna@gmail.com"],
  ["anna@gmail.com'", "anna@gmail.com"],
  ["anna@gmail.com”", "anna@gmail.com"],
  ["anna@gmail.com's", "anna@gmail.com"],
  ["anna@example.com’s.", "anna@example.com"],
  ["*anna@gmail.com*", "anna@gmail.com"],
  ["anna#yahoo.com", "anna@yahoo.com"],
  ["anna@gmail@com", "anna@gmail.com"],
  ["anna@yahoo@co.uk", "anna@yahoo.co.uk"],
  ["Anna <anna.beck@gmial@com>", "anna.beck@gmail.com"],
  ["anna.gmail@com", "anna@gmail.com"],
  ["anna.gmail@de", "anna@gmail.com"],
  ["anna.beck.yahoo@co.uk", "anna.beck@yahoo.co.uk"],
  ["anna@www.gmail.com", "anna@gmail.com"],
  ["anna@www.gmail.con", "anna@gmail.com"],
  ["anna@libero.con", "anna@libero.it"],
  ["anna@wanadoo.comm", "anna@wanadoo.fr"],
  ["anna@wanadoo.r", "anna@wanadoo.fr"],
  ["anna@freenet.e", "anna@freenet.de"],
  ["anna@yahoo.con", "anna@yahoo.com"],
  ["anna@verizo.nnet", "anna@verizon.net"],
  ["anna@outloo.kcom", "anna@outlook.com"],
  ["anna@gm.xde", "anna@gmx.de"],
  ["anna@uol.co.mbr", "anna@uol.com.br"],
  ["anna @gmail. com", "anna@gmail.com"],
  ["anna@gmail .com", "anna@gmail.com"],
  ["John Chow|john@example.com", "john@example.com"],
  ["1. a@example.com", "a@example.com"],
  ["- a@example.com", "a@example.com"],
  ["• a@example.com", "a@example.com"],
  ["Email - a@example.com", "a@example.com"],
  ["Anna Beck (anna@example.com)", "anna@example.com"],
  ["anna@example.com, Anna Beck", "anna@example.com"],
  ["smtp:anna@example.com", "anna@example.com"],
  ["SMTP:anna@example.com", "anna@example.com"],
  ["sip:anna@example.com", "anna@example.com"],
  ["To: anna@example.com", "anna@example.com"],
  ["mailto:anna@example.com?subject=Hello you&cc=bob@example.com", "anna@example.com"],
  ['["anna@example.com"]', "anna@example.com"],
  ['="anna@example.com"', "anna@example.com"],
  ["an\u200dna@example.com", "anna@example.com"],
  ["anna@exam\u200dple.com", "anna@example.com"],
  ["anna.kowalskigmail.com", "anna.kowalski@gmail.com"],
  ["anna1992gmail.com", "anna1992@gmail.com"],
  ["john.smith.gmail.com", "john.smith@gmail.com"],
  ["John.Smith.GMAIL.com", "John.Smith@gmail.com"],
  ["<john.smith.gmail.com>", "john.smith@gmail.com"],
  ["mailto:john.gmail.com", "john@gmail.com"],
  ["s.nilsson gmail.com", "s.nilsson@gmail.com"],
  ["m.gmx.net gmail.com", "m.gmx.net@gmail.com"],
  ["j.müller \t web.de", "j.müller@web.de"],
  ["anna.kowalskigmx.de", "anna.kowalski@gmx.de"],
  ["anna.kowalskihotmail.co.uk", "anna.kowalski@hotmail.co.uk"],
  ["anna.hushmail.com", "anna@hushmail.com"],
  ["jane.doe.t-online.de", "jane.doe@t-online.de"],
  ["john.smith.fastmail.com", "john.smith@fastmail.com"],
  ["anna..k@web.de", "anna.k@web.de"],
  ["anna....k@web.de", "anna.k@web.de"],
  [".julia.berger@icloud.com", "julia.berger@icloud.com"],
  ["..julia..berger..@icloud.com", "julia.berger@icloud.com"],
  ["klaus punkt weber at gmx punkt de", "klaus.weber@gmx.de"],
  ["anna (arobase) gmail.com", "anna@gmail.com"],
  ["anna arobase gmail point com", "anna@gmail.com"],
  ["anna (ät) example (punkt) de", "anna@example.de"],
  ["anna ÄT example PUNKT de", "anna@example.de"],
  ["ana arroba ejemplo punto es", "ana@ejemplo.es"],
  ["ana [arroba] exemplo ponto pt", "ana@exemplo.pt"],
  ["anna chiocciola libero punto it", "anna@libero.it"],
  ["rob@hotmail.co,uk", "rob@hotmail.co.uk"],
  ["rob@yahoo.co;uk", "rob@yahoo.co.uk"],
];

const NOT_SUGGESTED = [
  "no longer at jane@example.com",
  "Jane Doe jane@example.com",
  "jane doe@example.com",
  "jane\tdoe@example.com",
  "jane. doe@example.com",
  "jane@example.co m",
  "jane@example.com call me",
  "jane@yahoo.co. uk",
  "jane@example.com. me",
  "jane@example.com,me",
  "jane@example.com;de",
  "jane@yahoo.com,au",
  "rob@quiet.co,uk",
  "klaus punkt weber bei gmx punkt de",
  "Jane Doe gmail.com",
  "jane. gmail.com",
  "jane..gmail.com",
  "http://jane.gmail.com",
  "mail gmail.com",
  "a@نامه\u200cای.com",
  "a@क्\u200dष.com",
  "a@xn--mgba3gch31f060k.com",
  "Mary Smith <mary@example.com>, Doe, John <jdoe@example.org>",
  "Anna <anna@example.com>, Bob <bob@example.com>",
  "anna@example.com, Bob <bob@example.com>",
  "Anna <anna@example.com>, bob@example.com",
  "",
  "meet anna at example.com",
  "anna at noon at example.com",
  "anna@example.com; bob@example.org",
  "anna beck at example.com",
  `${"x".repeat(400)}@gmial.com`,
  ...`anna2gmail.com anna@examplecom anna@localhost anna @gmial.com 2gmail.com anna2example.com anna#example.com #gmail.com anna@www.example.com anna@
    anna@gmail.com anna@example.com anna@mailinator.com anna@example.notatld
    anna@www.gm.xde anna@freenet.com anna@quiet-harbour-tools.con anna@mailinator.con anna@g.mx.de
    anna@quiet-harbourt.ools.com anna@libero.zzz anna@beck@gmail.com anna@example@com anna.beck@com
    mail.com gmail.com www.gmail.com www.jane.gmail.com smtp.gmail.com m.gmail.com hushmail.com protonmail.com
    fastmail.com hotmail.com ggmail.com anna.ggmail.com huaweicloud.com olive.com anna.doolive.com anna.welcomehome.nl anna.coolymail.com
    acme.com jane.doe.acme.com royalmail.com jane.royalmail.com kunst-online.de jane_gmail.com jane-.gmail.com .gmail.com
    angmail.com jane.example.com janeexample.com gmail@com @gmail@com anna@gmail.com@com anna@gmail@com@org anna@example.com'sx`.split(
    /\s+/,
  ),
];

it.each(SUGGESTED)("suggestAddress corrects %j to %s", (address, suggestion) => {
  expect(suggestionFor(address)).toBe(suggestion);
});

it.each(NOT_SUGGESTED)("suggestAddress suggests nothing for %j", (address) => {
  expect(suggestionFor(address)).toBeUndefined();
});

it("suggestAddress never joins surrounding text to an address", () => {
  const word = fc.constantFrom(..."Jane Doe no longer at me com de co uk 1 2nd J. O'Neil Müller work dot".split(" "));
  const separator = fc.constantFrom(..." |\t|, |; | - |: |. |\u00a0| – |\n| • |, ".split("|"), "|", " | ");
  const text = fc.array(
    fc.tuple(word, separator).map((pair) => pair.join("")),
    { maxLength: 4 },
  );
  const start = fc.constantFrom("", "1. ", "2) ", "- ", "* ", "• ", "> ", "(", '"', "<");
  const end = fc.constantFrom("", ".", ",", ";", ")", '"', ">", " -", "!");
  const local = fc.constantFrom(..."anna a anna.beck anna-b o'neil a_b x9 info anna+tag".split(" "));
  const domain = fc.constantFrom(
    ..."gmail.com example.com example.co yahoo.co.uk quiet.de nl-mail.nl bücher.de".split(" "),
  );
  const parts = fc.tuple(start, text, local, domain, end, separator, text);
  fc.assert(
    fc.property(parts, ([before, words, localPart, name, after, next, rest]) => {
      const suggestion = suggestionFor(`${before}${words.join("")}${localPart}@${name}${after}${next}${rest.join("")}`);
      expect([undefined, `${localPart}@${name}`]).toContain(suggestion);
    }),
    { numRuns: sampleSize(2000) },
  );
});

it("a suggestion does not change the detection", () => {
  expect(classify("anna@gmial.com").detection).toMatchObject({ normalized: "anna@gmial.com", public_domain: false });
  expect(classify("anna＠gmail.com").detection).toEqual({ email: "anna＠gmail.com", syntax_validation: false });
});

it("a suggestion for random text is valid and differs from the text", () => {
  const unit = fc.constantFrom(...'anna.@,; <>"\\＠\u200b\n', "gmial.com", "example.com", ".con", "mailto:");
  fc.assert(
    fc.property(fc.string({ unit, maxLength: 12 }), (input) => {
      const suggestion = suggestAddress(input, lists, (address) => verdictOf(address) === "ok");
      if (suggestion === undefined) return;
      expect(suggestion).not.toBe(input);
      expect(verdictOf(suggestion)).toBe("ok");
    }),
    { numRuns: sampleSize(2000) },
  );
});

const { typos, typoTlds } = maintainedLists();

it("corrections of typos are not typos themselves", () => {
  expect([...typos.values()].filter(([, intended = ""]) => typos.has(intended))).toEqual([]);
  expect([...typoTlds.values()].filter(([, intended = ""]) => typoTlds.has(intended))).toEqual([]);
});

it("corrections of typos are valid mail domains", () => {
  expect([...typos.values()].filter(([, intended = ""]) => verdictOf(`a@${intended}`) !== "ok")).toEqual([]);
  expect([...typoTlds.values()].filter(([, label = ""]) => verdictOf(`a@nic.${label}`) === "unknown_tld")).toEqual([]);
});

it("no top-level domain of the root zone is listed as a typo", () => {
  expect([...typoTlds.keys()].filter((label) => verdictOf(`a@nic.${label}`) !== "unknown_tld")).toEqual([]);
});
