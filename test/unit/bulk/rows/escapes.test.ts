// Addresses whose characters are escaped, in text as repositories have it, and drawn.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { scan } from "../../../helpers/scan-text.ts";

const found = (text: string): string[] => scan(text).map((place) => place.replace(/^\S+ /, ""));
const LINES = readFileSync(join(import.meta.dirname, "escaped-lines.txt"), "utf8")
  .split("\n")
  .filter((line) => / →/.test(line) && !line.startsWith("# "))
  .map((line) => line.split(/ → ?/) as [string, string]);

describe("escaped addresses", () => {
  it.each(LINES)("%s has: %s", (line, wanted) => {
    expect(found(line).join(" ")).toBe(wanted);
  });
});
