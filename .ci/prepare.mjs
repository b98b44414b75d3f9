// npm's `prepare`: builds what is not in git. An install with --global, as pre-commit makes it, leaves out what the
// build needs, because npm passes `global` on to the install in the clone; then it is installed here.
import { execSync } from "node:child_process";
import { existsSync } from "node:fs";

const run = (command) => {
  const { npm_config_global: _, npm_config_location: __, npm_config_prefix: ___, ...env } = process.env;
  execSync(command, { stdio: "inherit", env });
};
if (!existsSync("node_modules/typescript")) run("npm ci --ignore-scripts --include=dev");
run("npm run --silent build");
