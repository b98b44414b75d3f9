// Texts of a release that are made from others, such as its notes. Those in .ci/release/ are templates.

import { CurationError } from "../curation/sources.ts";

/**
 * Returns the notes of a release: the highlights and the breaking changes of its section in the changelog, or the whole
 * section if it has no highlights. Throws if the section is missing, or if newer changes have no version.
 */
export function releaseNotes(changelog: string, heading: string): string {
  const [, ...sections] = changelog.split(/^## \[/m);
  const textOf = (name: string): string | undefined => {
    const section = sections.find((text) => text.startsWith(`${name}]`));
    return section?.slice(section.indexOf("\n")).trim();
  };
  const text = textOf(heading);
  if (text === undefined)
    throw new CurationError(`CHANGELOG.md has no section ${heading}: put the changes under a heading`);
  if (heading !== "Unreleased" && (textOf("Unreleased") ?? "") !== "")
    throw new CurationError(
      "CHANGELOG.md has changes under [Unreleased]: put them under a heading with the version, or for a trial run npm run pack:release -- release Unreleased",
    );
  const [, highlights] = /^### Highlights\n+((?:.+\n)+)/m.exec(`${text}\n`) ?? [];
  if (highlights === undefined) return `${text}\n`;
  const breaking = [...text.matchAll(/^- Breaking: (.+(?:\n {2}.+)*)/gm)].map(([, change]) => `- ${change}\n`);
  const changes = breaking.length > 0 ? `\n### Breaking changes\n\n${breaking.join("")}` : "";
  return `${highlights}${changes}\nAll changes are in CHANGELOG.md.\n`;
}

/** Returns the day of the newest release in the changelog. Files of a release have this day, whenever they are built. */
export function releaseDay(changelog: string): string {
  return /^## \[.*\] - (\d{4}-\d\d-\d\d)$/m.exec(changelog)?.[1] ?? "1980-01-01";
}

/** Replaces `@NAME@` in a template by the value of NAME, and the placeholder OWNER/addrsift by `repository`. */
export function fillTemplate(template: string, repository: string, values: Readonly<Record<string, string>>): string {
  return template
    .replaceAll("OWNER/addrsift", repository)
    .replace(/@([A-Z][A-Z0-9_]*)@/g, (match, name: string) => values[name] ?? match);
}

/** Indents a text for the copyright file of a Debian package, where a dot stands for an empty line. */
export function indentLicense(text: string): string {
  return text.trimEnd().replace(/^\s*$/gm, ".").replace(/^/gm, " ");
}
