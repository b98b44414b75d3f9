import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";
import { memoryFolder } from "./test/helpers/memory.ts";

// Stores of unit tests wait for the disk at each change.
const memory = memoryFolder();

// Unit tests run on the sources.
const BUILD = "./test/helpers/fresh-build.ts";

export default defineConfig({
  test: {
    // Hundreds of processes and sockets on a busy machine: one slip of the machine's is not ours. What fails twice is broken.
    retry: process.env["CI"] === undefined ? 0 : 1,
    reporters: ["default", "./test/helpers/count-reporter.ts"],
    testTimeout: 30_000,
    hookTimeout: 30_000,
    // What is waited for comes at once on a quiet machine, and late on a busy one.
    expect: { poll: { timeout: 10_000 } },
    coverage: { provider: "v8", include: ["src/**"], exclude: ["src/build/**"] },
    // Tests of commands and daemons wait for other processes half of their time.
    maxWorkers: availableParallelism() + 1,
    // Nothing in a test file changes what the next one would see, so that a worker loads src/ and the lists once.
    isolate: false,
    projects: [
      {
        extends: true,
        test: {
          name: "unit",
          include: ["test/unit/**/*.test.ts"],
          globalSetup: "./test/helpers/fresh-lists.ts",
          env: memory === undefined ? {} : { TMPDIR: memory },
        },
      },
      { extends: true, test: { name: "command", include: ["test/command/**/*.test.ts"], globalSetup: BUILD } },
      { extends: true, test: { name: "daemon", include: ["test/daemon/**/*.test.ts"], globalSetup: BUILD } },
    ],
  },
});
