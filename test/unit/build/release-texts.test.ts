import { expect, it } from "vitest";
import { homebrewFormula, releaseNotes } from "../../../src/build/release-texts.ts";

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

it("the Homebrew formula has the URL and the checksum of the release file", () => {
  const facts = {
    repository: "acme/addrsift",
    version: "1.2.3",
    description: "Email classifier: syntax",
    file: "a.tgz",
  };
  const lines = homebrewFormula({ ...facts, sha256: "ab12" }).split("\n");
  expect(lines).toContain('  desc "Email classifier"');
  expect(lines).toContain('  url "https://github.com/acme/addrsift/releases/download/v1.2.3/a.tgz"');
  expect(lines).toContain('  sha256 "ab12"');
  expect(lines).toContain('    generate_completions_from_executable(bin/"addrsift", "completion")');
});
