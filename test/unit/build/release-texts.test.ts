import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { fillTemplate, indentLicense, releaseDay, releaseNotes } from "../../../src/build/release-texts.ts";

const readTemplate = (name: string): string =>
  readFileSync(join(import.meta.dirname, "../../../.ci/release", name), "utf8");

const CHANGELOG =
  "# Changelog\n\n## [1.1.0] - 2027-01-02\n\n- New.\n\n### Part\n\n- More.\n\n## [1.0.0] - 2026-11-23\n\nFirst.\n";

it("release notes are the version's section of the changelog", () => {
  expect(releaseNotes(CHANGELOG, "1.1.0")).toBe("- New.\n\n### Part\n\n- More.\n");
  expect(releaseNotes(CHANGELOG, "1.0.0")).toBe("First.\n");
  for (const version of ["1.1", "1.0.0-rc.1", "2.0.0"])
    expect(() => releaseNotes(CHANGELOG, version)).toThrow(`CHANGELOG.md has no section ${version}`);
});

it("release notes are the highlights and breaking changes if the section has highlights", () => {
  const section =
    "### Highlights\n\n- Fast.\n\n### Part\n\n- Old.\n- Breaking: `a`\n  is `b`.\n- Breaking: c.\n\n### Other\n\n- More.";
  expect(releaseNotes(CHANGELOG.replace("First.", section), "1.0.0")).toBe(
    "- Fast.\n\n### Breaking changes\n\n- `a`\n  is `b`.\n- c.\n\nAll changes are in CHANGELOG.md.\n",
  );
});

it("release notes of a version are an error while the changelog has unreleased changes", () => {
  const unreleased = (text: string): string => CHANGELOG.replace("## ", `## [Unreleased]\n\n${text}\n\n## `);
  expect(releaseNotes(unreleased(""), "1.1.0")).toMatch(/^- New/);
  expect(releaseNotes(unreleased("- Newer."), "Unreleased")).toBe("- Newer.\n");
  expect(() => releaseNotes(unreleased("- Newer."), "1.1.0")).toThrow("CHANGELOG.md has changes under [Unreleased]");
});

it("files of a release have the day of the newest release in the changelog", () => {
  expect(releaseDay(CHANGELOG)).toBe("2027-01-02");
  expect(releaseDay(CHANGELOG.replace("## ", "## [Unreleased]\n\n- Newer.\n\n## "))).toBe("2027-01-02");
});

it("the Homebrew formula has the URL and the checksum of the release file", () => {
  const values = { VERSION: "1.2.3", SHA256: "ab12" };
  const lines = fillTemplate(readTemplate("addrsift.rb"), "acme/addrsift", values).split("\n");
  expect(lines).toContain('  url "https://github.com/acme/addrsift/releases/download/v1.2.3/addrsift-1.2.3.tgz"');
  expect(lines).toContain('  sha256 "ab12"');
});

it("the install notes name the version and the repository", () => {
  const text = fillTemplate(readTemplate("install.md"), "acme/addrsift", { VERSION: "1.2.3", NODE: "22.21.1" });
  expect(text).toContain("`npm install --global addrsift@1.2.3`");
  expect(text).toContain("`gh attestation verify FILE --repo acme/addrsift`");
  expect(text).not.toMatch(/@[A-Z]|OWNER/);
});

it("each line of a license is indented in the copyright file, and an empty line is a dot", () => {
  expect(indentLicense("MIT\n\n  Text\n \nMore\n\n")).toBe(" MIT\n .\n   Text\n .\n More");
});
