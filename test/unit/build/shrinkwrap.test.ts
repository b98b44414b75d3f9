// The lock that goes with the package: all that it needs at run time, exactly, and from wherever the installing machine gets its packages.

import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { withoutDevelopment } from "../../../src/build/shrinkwrap.ts";

const read = (name: string): ReturnType<typeof JSON.parse> =>
  JSON.parse(readFileSync(new URL(`../../../${name}`, import.meta.url), "utf8"));

it("has every package of run time with its hash, no other, and no registry", () => {
  const { dependencies, files, scripts } = read("package.json");
  const { packages } = withoutDevelopment(read("package-lock.json")) as { packages: Record<string, object> };
  expect(packages[""]).toMatchObject({ dependencies });
  expect(packages[""]).not.toHaveProperty("devDependencies");
  const { "": _, ...needed } = packages;
  for (const name of Object.keys(dependencies)) expect(needed).toHaveProperty([`node_modules/${name}`]);
  expect(needed).not.toHaveProperty(["node_modules/typescript"]);
  for (const one of Object.values(needed)) {
    expect(one).toMatchObject({ version: expect.any(String), integrity: expect.stringMatching(/^sha512-/) });
    expect(one).not.toHaveProperty("resolved");
  }
  expect(files).toContain("npm-shrinkwrap.json");
  expect([scripts.prepack, scripts.postpack].join()).toMatch(/shrinkwrap\.ts,.*shrinkwrap\.ts --remove$/);
});
