// Tests which addresses the page's Check view finds in pasted text.

import fc from "fast-check";
import { expect, it } from "vitest";
import { splitAddresses } from "../../../src/page/check/split-addresses.ts";

it.each([
  ["a@gmail.com, b@mailinator.com; c@web.de", ["a@gmail.com", "b@mailinator.com", "c@web.de"]],
  ["a@x.com b@x.com", ["a@x.com", "b@x.com"]],
  ["a@b, c@d", ["a@b", "c@d"]],
  [";a@gmail.com;\r\n\n\tb@yahoo.com,", ["a@gmail.com", "b@yahoo.com"]],
  ["\u00a0a@x.com\u00a0\n\u202ab@x.com\u202c", ["a@x.com", "b@x.com"]],
  ["To: Jane <a@x.com>,\n Bob <b@x.com>", ["a@x.com", "b@x.com"]],
  ['Jane <a@b.com>; Joe X <c@d.com>; "Doe, Ann" <e@f.com>', ["a@b.com", "c@d.com", "e@f.com"]],
  ["Jane<a@x.com>Bob (Sales) <b@x.com>", ["a@x.com", "b@x.com"]],
  ["jane@b.com <jane@b.com>; Doe, Joe <joe@b.com>", ["jane@b.com", "joe@b.com"]],
  ["jane@old.com <jane@new.com>", ["jane@old.com", "jane@new.com"]],
  ['"Jane, jane@old.com" <jane@new.com>', ["jane@old.com", "jane@new.com"]],
  ["Jane <a@x.com<mailto:a@x.com>>, b@x.com [mailto:b@x.com]", ["a@x.com", "b@x.com"]],
  ["On Mon, Jane Doe <jane@x.com> wrote:", ["jane@x.com"]],
  ["mailto:a@x.com?subject=hi", ["a@x.com"]],
  ["Please write to a@x.com. Thanks!\nb@x.com.", ["a@x.com", "b@x.com"]],
  ["1. a@x.com\n- b@x.com\n> c@x.com", ["a@x.com", "b@x.com", "c@x.com"]],
  ['[\n"a@x.com",\n"b@x.com"\n]', ["a@x.com", "b@x.com"]],
  ['{"name": "Jane", "email": "a@x.com"}', ["a@x.com"]],
  [`["a@x.com","b@x.com"]\n('c@x.com', 'd@x.com')`, ["a@x.com", "b@x.com", "c@x.com", "d@x.com"]],
  ['"a@b.com, c@d.com"@e.com "a b"@x.com', ['"a@b.com, c@d.com"@e.com', '"a b"@x.com']],
  ["'o'dowd@x.com', o'dowd@y.com", ["o'dowd@x.com", "o'dowd@y.com"]],
  ["a|b@x.com | c@x.com|d@x.com", ["a|b@x.com", "c@x.com", "d@x.com"]],
  ["Please refund jane.doe@x.com today.", ["jane.doe@x.com"]],
  ["Jane Doe jane@x.com\njoe@x.com Joe Doe", ["jane@x.com", "joe@x.com"]],
  ["Subject: Re: refund\nDate: Mon, 2 Nov 2026\nFrom: a@x.com", ["a@x.com"]],
  ["<a@[192.0.2.1]> <b@x.com", ["a@[192.0.2.1]", "b@x.com"]],
])("splitAddresses() splits a list: %j", (text, addresses) => {
  expect(splitAddresses(text)).toEqual(addresses);
});

it.each([
  ["name,email\njane,doe@x.com\nJane,joe@gmail,com", ["doe@x.com", "joe@gmail,com"]],
  ["| Name | E-Mail |\n|---|---|\n| jane | doe@x.com |", ["doe@x.com"]],
  ["Name|Email\nJane|jane@x.com\nJoe|joe doe@x.com", ["jane@x.com", "joe doe@x.com"]],
  ["Email\njane doe@x.com\na|b@x.com", ["jane doe@x.com", "a|b@x.com"]],
  ["jane@gmail.com,Jane", ["jane@gmail.com"]],
  ["Jane,jdoe@gmail.com", ["jdoe@gmail.com"]],
  ["jane,jane@gmail.com", ["jane@gmail.com"]],
  ["1;jane;jane@gmail.com;joe@b.com", ["jane@gmail.com", "joe@b.com"]],
  ["Jane\tjane@gmail.com\t \tjane@b.com", ["jane@gmail.com", "jane@b.com"]],
  ['"Doe, Jane","jane@x.com",2026-01-31', ["jane@x.com"]],
])("splitAddresses() leaves out the other cells and the header of a table: %j", (text, addresses) => {
  expect(splitAddresses(text)).toEqual(addresses);
});

const MISTYPED = [
  "jane,doe@x.com",
  "jane,,doe@x.com",
  "Jane,Doe@x.com",
  "jane@gmail,com",
  "jane@gmail, com",
  "jane@gmail.co,uk",
  "jane@gmail.co uk",
  "jane|doe@x.com",
  "jane doe@x.com",
  "jane @x.com",
  "jane@x .com",
  "jane@@x.com",
  "jane@doe@x.com",
  "jane(doe)@x.com",
  "jane:doe@x.com",
];

it.each([...MISTYPED, "jane.x.com", "Jane Doe"])("splitAddresses() keeps a mistyped address whole: %j", (text) => {
  expect(splitAddresses(text)).toEqual([text]);
});

it("splitAddresses() finds every address in every usual format of a list, and keeps mistyped ones whole", () => {
  const local = fc.oneof(fc.stringMatching(/^[a-z0-9][\w.'+-]{0,9}\w$/), fc.constantFrom('"a, b"', '"a@b; c"', "{x}"));
  const address = fc.tuple(local, fc.stringMatching(/^[a-z]{2,8}$/)).map(([local, name]) => `${local}@${name}.com`);
  const formats: readonly ((address: string) => string)[] = [
    (address) => address,
    (address) => `<${address}>`,
    (address) => `Jane Doe <${address}>`,
    (address) => `"Doe, Jane" <${address}>`,
    (address) => `Jane (Sales) <${address}>`,
    (address) => `${address} <${address}>`,
    (address) => `${address}<mailto:${address}>`,
    (address) => `Jane [mailto:${address}]`,
    (address) => `Jane (${address})`,
    (address) => `mailto:${address}`,
    (address) => `'${address}'`,
    (address) => `“${address}”`,
  ];
  const separators = [", ", ",", "; ", ";", "\t", " | ", "\n", ",\n", ";\r\n", "\u00a0\n", "\n- "];
  const item = fc.oneof(address, fc.constantFrom(...MISTYPED.filter((text) => !/\(|, /.test(text))));
  const list = fc.array(item, { minLength: 1, maxLength: 8 });
  fc.assert(
    fc.property(list, fc.constantFrom(...formats), fc.constantFrom(...separators), (items, format, separator) => {
      const isPlain = (text: string): boolean => text.includes('"') || MISTYPED.includes(text);
      const text = items.map((item) => (isPlain(item) ? item : format(item))).join(separator);
      expect(splitAddresses(text)).toEqual(items);
    }),
    { numRuns: 500 },
  );
});

it.each(["a", " ", '"', "<", "@", ", ", "a@b ", "a,", "a (", "[", "mailto:", "1. ", "a: ", "<a@x>", '"" ', "?@"])(
  "splitAddresses() takes linear time for many %j",
  (part) => {
    const measureMs = (text: string): number => {
      const start = performance.now();
      splitAddresses(text);
      return performance.now() - start;
    };
    expect(measureMs(`${part.repeat(10_000)}x@x.com`)).toBeLessThan(2_000);
  },
);
