// Texts of a release that are made from others: its notes and the formula for Homebrew.

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
  if (text === undefined) throw new Error(`CHANGELOG.md has no section ${heading}: put the changes under a heading`);
  if (heading !== "Unreleased" && (textOf("Unreleased") ?? "") !== "")
    throw new Error(
      "CHANGELOG.md has changes under [Unreleased]: put them under a heading with the version, or for a trial run npm run pack:release -- release Unreleased",
    );
  const [, highlights] = /^### Highlights\n+((?:.+\n)+)/m.exec(`${text}\n`) ?? [];
  if (highlights === undefined) return `${text}\n`;
  const breaking = [...text.matchAll(/^- Breaking: (.+(?:\n {2}.+)*)/gm)].map(([, change]) => `- ${change}\n`);
  const changes = breaking.length > 0 ? `\n### Breaking changes\n\n${breaking.join("")}` : "";
  return `${highlights}${changes}\nAll changes are in CHANGELOG.md.\n`;
}

interface FormulaFacts {
  /** `OWNER/NAME` on GitHub. */
  readonly repository: string;
  readonly version: string;
  readonly description: string;
  /** File name of the npm package among the files of the release, and its SHA-256 in hexadecimal. */
  readonly file: string;
  readonly sha256: string;
}

/** Returns a formula that installs the npm package with Homebrew's Node (docs.brew.sh/Node-for-Formula-Authors). */
export function homebrewFormula({ repository, version, description, file, sha256 }: FormulaFacts): string {
  const home = `https://github.com/${repository}`;
  return `class Addrsift < Formula
  desc ${JSON.stringify(description.split(":")[0])}
  homepage "${home}"
  url "${home}/releases/download/v${version}/${file}"
  sha256 "${sha256}"
  license "MIT"

  depends_on "node"

  def install
    system "npm", "install", *std_npm_args
    bin.install_symlink libexec.glob("bin/*")
    man1.install_symlink libexec.glob("lib/node_modules/addrsift/man/*.1")
    man7.install_symlink libexec.glob("lib/node_modules/addrsift/man/*.7")
    generate_completions_from_executable(bin/"addrsift", "completion")
  end

  test do
    output = shell_output("#{bin}/addrsift detect --offline joe@mailinator.com")
    assert_match '"disposable":true', output
  end
end
`;
}
