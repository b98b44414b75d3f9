// Tests usage errors that suggest a fix: similar names, other programs' names, and suggestions that must not be made.

import { it } from "vitest";
import { expectRefused } from "../helpers/run.ts";

const expectUsageError = (call: string, line: string): Promise<void> => expectRefused(call, `addrsift: ${line}\n`);

it.each([
  ["detct", "unknown command 'detct': did you mean detect?"],
  ["lists lokup", "unknown command 'lokup': did you mean lookup?"],
  ["lists add a.example", "unknown command 'add': did you mean lists allow or lists deny?"],
  ["lists block a.example", "unknown command 'block': did you mean lists deny?"],
  ["lists whitelist a.example", "unknown command 'whitelist': did you mean lists allow?"],
  ["channels edit ch_x", "unknown command 'edit': did you mean channels update?"],
  ["channels pause ch_x", "unknown command 'pause': did you mean channels update --config enabled=false?"],
  ["lists remove a.example", "unknown command 'remove': did you mean lists overrides --remove?"],
  [
    "lists overrides a.example",
    "lists overrides takes no arguments, not 1: did you mean lists allow, lists deny or lists overrides --remove?",
  ],
  ["lookup gmail.com", "unknown command 'lookup': did you mean lists lookup?"],
  ["create", "unknown command 'create': did you mean channels create or keys create?"],
  ["scan .", "unknown command 'scan': did you mean detect --scan?"],
  ["detect .", ". is a folder: run addrsift detect --scan ."],
  ["version", "unknown command 'version': did you mean --version?"],
  ["validate a@gmail.com", "unknown command 'validate': did you mean detect?"],
  ["ada@example.org", "unknown command 'ada@example.org': for an address run \"addrsift detect ada@example.org\""],
  ["nosuch", "unknown command 'nosuch': run \"addrsift --help\""],
  ["nosuch --help", "unknown command 'nosuch': run \"addrsift --help\""],
  ["--home x detct -h", "unknown command 'detct': did you mean detect?"],
  ["keys rotate --help", "unknown command 'rotate': run \"addrsift keys --help\""],
])('the error for the unknown command "%s" suggests a similar command or --help', expectUsageError);

it.each([
  ["detect --sumary", "unknown option '--sumary': did you mean --summary?"],
  ["detect --jobs 2", "unknown option '--jobs': run \"addrsift detect --help\""],
  ["detect --summ", "unknown option '--summ': did you mean --summary or --summary-file?"],
  ["--versoin", "unknown option '--versoin': did you mean --version?"],
])('the error for the unknown option in "%s" suggests similar options or --help', expectUsageError);

it.each([
  ["-v", "unknown option '-v': did you mean --version?"],
  ["detect -q", "unknown option '-q': did you mean --quiet?"],
  ["lists status -j", "unknown option '-j': did you mean --json?"],
  ["detect -o x", "unknown option '-o': did you mean > FILE?"],
  ["detect --output=x", "unknown option '--output=x': did you mean > FILE?"],
  ["detect --scan --exclude=vendor/ .", "unknown option '--exclude=vendor/': did you mean --allow-file?"],
  ["detect --baseline x", "unknown option '--baseline': did you mean --allow-file?"],
])(`the error for another program's option in "%s" suggests the equivalent for addrsift`, expectUsageError);

it.each([
  ["--csv", "unknown option '--csv': it follows its command, as in addrsift detect --csv"],
  ["-j", "unknown option '-j': it follows its command, as in addrsift detect --json"],
  ["lists --json status", "unknown option '--json': it follows its command, as in addrsift lists lookup --json"],
])("the error for an option before its command shows the right order: %s", expectUsageError);

it.each([
  ["detect --dedupe", "unknown option '--dedupe': did you mean --reject duplicate?"],
  ["serve --offline", "unknown option '--offline': run \"addrsift serve --help\""],
  ["lists status --exp", "unknown option '--exp': run \"addrsift lists status --help\""],
])('the error for "%s" suggests no option with another meaning', expectUsageError);

it.each([
  ["-x@y.com", "unknown option '-x@y.com': put -- before it: addrsift detect -- -x@y.com"],
  ["detect --x@y.com", "unknown option '--x@y.com': put -- before it: addrsift detect -- --x@y.com"],
  ["lists lookup -duck.com", "unknown option '-duck.com': put -- before it: addrsift lists lookup -- -duck.com"],
  ["detect -$(x)@y.com", "unknown option '-$(x)@y.com': put -- before it: addrsift detect -- ARGUMENT"],
])("the error for an argument that looks like an option suggests --: %s", expectUsageError);

it.each([
  ["detect --json=1", "--json takes no value: write --json only"],
  ["lists status x", 'lists status takes no arguments, not 1: run "addrsift lists status --help"'],
])("an unexpected value or argument is rejected: %s", expectUsageError);
