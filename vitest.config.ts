import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    // Hundreds of processes and sockets on a busy machine: one slip of the machine's is not ours. What fails twice is broken.
    retry: process.env["CI"] === undefined ? 0 : 1,
    include: ["test/**/*.test.ts"],
    reporters: ["default", "./test/helpers/count-reporter.ts"],
    testTimeout: 30_000,
    coverage: { provider: "v8", include: ["src/**"], exclude: ["src/build/**"] },
  },
});
