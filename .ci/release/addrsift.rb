class Addrsift < Formula
  desc "Email address classifier"
  homepage "https://github.com/OWNER/addrsift"
  url "https://github.com/OWNER/addrsift/releases/download/v@VERSION@/addrsift-@VERSION@.tgz"
  sha256 "@SHA256@"
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
