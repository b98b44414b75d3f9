// Prints the last line of a run, `N passed, N failed`, after the skipped tests and, if a test failed, the seed. A file
// that can't be loaded counts as a failed test.

import { readdirSync } from "node:fs";
import { join } from "node:path";
import type { Reporter, TestCase, TestModule, Vitest } from "vitest/node";

const isSkipped = (test: TestCase): boolean => test.result().state === "skipped";

export default class CountReporter implements Reporter {
  private vitest: Vitest | undefined;

  onInit(vitest: Vitest): void {
    this.vitest = vitest;
  }

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
    const skipped = this.listSkipped(modules) + this.describeSlowTests();
    const seed = `ADDRSIFT_TEST_SEED=${process.env["ADDRSIFT_TEST_SEED"]} repeats the random cases\n`;
    const lines = `${skipped}${failed > 0 ? seed : ""}${passed} passed, ${failed} failed\n`;
    // Print after all other reporters.
    process.on("exit", () => process.stdout.write(lines));
  }

  /** Returns a line for each skipped test, or for its group if all tests of the group are skipped. */
  private listSkipped(modules: readonly TestModule[]): string {
    // With -t, tests with other names are skipped too.
    if (this.vitest?.config.testNamePattern !== undefined) return "";
    const lines = modules.flatMap((module) =>
      Array.from(module.children.allTests("skipped"), (test) => {
        const { parent } = test;
        const whole = parent.type === "suite" && Array.from(parent.children.allTests()).every(isSkipped);
        return `skipped: ${module.relativeModuleId}: ${(whole ? parent : test).fullName}\n`;
      }),
    );
    return [...new Set(lines)].join("");
  }

  /** Returns a line about the slow test files if the slow project does not run. */
  private describeSlowTests(): string {
    if (this.vitest?.projects.some(({ name }) => name === "slow") !== false) return "";
    const files = readdirSync(join(import.meta.dirname, ".."), { recursive: true, encoding: "utf8" });
    const slow = files.filter((name) => name.endsWith(".slow.test.ts"));
    return `not run: ${slow.length} slow test files, and most cases of long property tests: npm run test:slow\n`;
  }
}
