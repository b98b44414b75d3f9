// Tests that the project's YAML files, and those in its README, are valid YAML. Most are read only by other people's CI.

import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { parseDocument } from "yaml";
import { blocksOf, ROOT, readProjectFile } from "../helpers/documents.ts";

const files = ["", ".github/workflows", "man/examples"].flatMap((folder) =>
  readdirSync(join(ROOT, folder))
    .filter((name) => /\.ya?ml$/.test(name))
    .map((name) => join(folder, name)),
);
const texts = files.map((file) => [file, readProjectFile(file)] as const);
const blocks = blocksOf(readProjectFile("README.md"), "yaml").map((text) => ["README.md", text] as const);

it.each([...texts, ...blocks])("%s is valid YAML", (_, text) => {
  const { errors, warnings } = parseDocument(text);
  expect([...errors, ...warnings]).toEqual([]);
});

it("the files include those that GitHub and pre-commit read", () => {
  expect(files).toEqual(expect.arrayContaining(["action.yml", ".pre-commit-hooks.yaml", ".github/workflows/ci.yml"]));
});
