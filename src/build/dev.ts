// Maintainers' program: the command line as the sources are now. Stack traces show the sources.
//   npm run --silent dev -- detect joe@example.com

import { spawn } from "node:child_process";
import { join } from "node:path";
import { buildFresh } from "./parts.ts";

const ROOT = join(import.meta.dirname, "../..");

await buildFresh(ROOT, ["code", "lists"]);
const command = ["--enable-source-maps", join(ROOT, "bin/addrsift.cjs"), ...process.argv.slice(2)];
const child = spawn(process.execPath, command, { stdio: "inherit" });
// Ctrl-C reaches both processes.
process.on("SIGINT", () => {});
process.on("SIGTERM", () => child.kill("SIGTERM"));
child.on("close", (status, signal) => {
  process.exitCode = signal === null ? (status ?? 2) : 130;
});
