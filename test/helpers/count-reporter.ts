// A reporter for machines: the last line of the run is `N passed, N failed`. What could not even be collected counts as failed.

import type { Reporter, TestModule } from "vitest/node";

export default class CountReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly unknown[]): void {
    let passed = 0;
    let failed = unhandledErrors.length;
    for (const module of modules) {
      const before = failed;
      for (const test of module.children.allTests()) {
        const { state } = test.result();
        if (state === "passed") passed += 1;
        else if (state !== "skipped") failed += 1;
      }
      if (failed === before && module.state() === "failed") failed += 1;
    }
    // After the other reporters' last words.
    process.on("exit", () => process.stdout.write(`${passed} passed, ${failed} failed\n`));
  }
}
