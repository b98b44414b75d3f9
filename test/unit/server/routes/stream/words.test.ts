// Messages of the command line in the words of HTTP, and what an Accept header asks for.

import { expect, it } from "vitest";
import { formatFor } from "../../../../../src/server/routes/stream/media.ts";
import { inQueryWords } from "../../../../../src/server/routes/stream/words.ts";

it.each([
  ["add --no-header, or --part if the input is a part", "add no-header, or part if the input is a part"],
  ["add --column N, from 1 to 3", "add column=N, from 1 to 3"],
  ['choose --column 1 ("e-mail") or --column 2', 'choose column=1 ("e-mail") or column=2'],
  ['choose --column "mail" or --column "e-mail"', 'choose column="mail" or column="e-mail"'],
  ["add --column with one of 1", "add column with one of 1"],
  ["with --prefix P, or add one key with --into KEY", "with prefix=P, or add one key with into=KEY"],
  ['add --delimiter ";"', 'add delimiter=";"'],
  ["add --delimiter tab", "add delimiter=tab"],
  ["for CSV add --csv", "for CSV add Content-Type: text/csv"],
  [
    "is compressed with xz: run xz -dc FILE | addrsift detect, with the same options except --input",
    "is compressed with xz: send the output of xz -dc FILE",
  ],
  [
    "for a JSON array run jq -c '.[]' FILE | addrsift detect --jsonl",
    "for a JSON array send the output of jq -c '.[]' FILE",
  ],
])("%s", (message, expected) => {
  expect(inQueryWords(message)).toBe(expected);
});

it.each([
  ["csv", "", "csv"],
  ["lines", "", "ndjson"],
  ["jsonl", "*/*", "ndjson"],
  ["csv", "*/*", "csv"],
  ["csv", "application/json", "csv"],
  ["csv", "application/x-ndjson", "ndjson"],
  ["lines", "TEXT/CSV", "csv"],
  ["lines", "text/csv;q=0.4, application/x-ndjson;q=0.6", "ndjson"],
  ["lines", "text/csv; header=present; q=0.9, application/x-ndjson;q=0.6", "csv"],
  ["lines", "text/csv;q=0", "ndjson"],
  ["csv", "text/csv, application/x-ndjson", "csv"],
] as const)("%s with Accept %j gives %s", (kind, accept, format) => {
  expect(formatFor(kind, accept)).toBe(format);
});
