import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    reporters: ["default", "./test/helpers/count-reporter.ts"],
    testTimeout: 30_000,
    coverage: { provider: "v8", include: ["src/**"], exclude: ["src/build/**"] },
  },
});
