import { readdirSync, readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { defineConfig, type TestProjectInlineConfiguration } from "vitest/config";
import { memoryFolder } from "./test/helpers/memory.ts";

// The environment of tests and of their processes does not depend on who runs them.
for (const name of Object.keys(process.env)) if (/^(LC_|LANG)/.test(name)) delete process.env[name];
process.env["TZ"] = "UTC";
process.env["ADDRSIFT_TEST_SEED"] ??= String(Date.now() % 2 ** 31);

// Stores of unit tests wait for the disk at each change.
const memory = memoryFolder();

const BUILD = "./test/helpers/fresh-build.ts";
const SLOW = "test/**/*.slow.test.ts";

// Property tests that run more cases in the slow project than in `npm test`.
const LAWS = ["command", "daemon", "unit"]
  .flatMap((name) =>
    readdirSync(`test/${name}`, { recursive: true, encoding: "utf8" }).map((file) => `test/${name}/${file}`),
  )
  .filter((file) => file.endsWith(".test.ts") && readFileSync(file, "utf8").includes("/helpers/sampling.ts"));

export default defineConfig({
  test: {
    reporters: ["default", "./test/helpers/count-reporter.ts"],
    setupFiles: "./test/helpers/seed.ts",
    testTimeout: 240_000,
    hookTimeout: 240_000,
    // What is waited for comes at once on a quiet machine, and late on a busy one.
    expect: { poll: { timeout: 120_000 } },
    coverage: { provider: "v8", include: ["src/**"], exclude: ["src/build/**"] },
    // Tests of commands and daemons wait for other processes most of their time.
    maxWorkers: 3 * availableParallelism() + 1,
    sequence: { groupOrder: 1 },
    // Nothing in a test file changes what the next one would see, so that a worker loads src/ and the lists once.
    isolate: false,
    experimental: { fsModuleCache: true },
    projects: [
      project("unit", {
        env: memory === undefined ? {} : { TMPDIR: memory },
        // They wait for nothing, and a further worker would load src/ once more. What has its own number of workers runs by itself.
        maxWorkers: availableParallelism(),
        sequence: { groupOrder: 0 },
      }),
      project("command"),
      project("daemon"),
      // Killed processes, browsers, lists of real size: what takes tens of seconds of a processor.
      {
        extends: true,
        test: {
          name: "slow",
          // Thousands of random cases take 20 minutes on a core that others use.
          testTimeout: 1_800_000,
          include: [SLOW, ...LAWS],
          globalSetup: BUILD,
          env: { ADDRSIFT_TEST_TRIES: "all" },
        },
      },
    ],
  },
});

/** The files of one folder, without the slow ones. */
function project(name: string, settings: TestProjectInlineConfiguration["test"] = {}): TestProjectInlineConfiguration {
  const include = [`test/${name}/**/*.test.ts`];
  return { extends: true, test: { name, include, exclude: [SLOW], globalSetup: BUILD, ...settings } };
}
