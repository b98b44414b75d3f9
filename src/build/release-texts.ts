// Texts of a release that are made from others: its notes and the formula for Homebrew.

/** Returns the section of a version in the changelog, without its heading. Throws if there is none. */
export function releaseNotes(changelog: string, version: string): string {
  const [, ...sections] = changelog.split(/^## \[/m);
  const section = sections.find((text) => text.startsWith(`${version}]`));
  if (section === undefined) throw new Error(`CHANGELOG.md has no section ${version}: put the changes under a heading`);
  return `${section.slice(section.indexOf("\n")).trim()}\n`;
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
  end

  test do
    output = shell_output("#{bin}/addrsift detect --offline joe@mailinator.com")
    assert_match '"disposable":true', output
  end
end
`;
}
