// The bill of materials (CycloneDX 1.6) and the licenses of the code that a release contains.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** Entries of process.versions that are numbers of interfaces. */
const INTERFACES = ["modules", "napi"];
/** Vendor and product in the CPE, by which vulnerabilities are reported for what no package registry has. */
const CPES: Readonly<Record<string, string>> = { node: "nodejs:node.js", openssl: "openssl:openssl" };

export type Component = ReturnType<typeof describeComponent>;

export function describeComponent(name: string, version: string, purl: string) {
  return { type: "library", "bom-ref": purl, name, version, purl };
}

export function readPackage(root: string, folder: string) {
  const read = (path: string): string => readFileSync(join(root, path), "utf8");
  const { name, version, license } = JSON.parse(read(`${folder}/package.json`)) as Record<
    "name" | "version" | "license",
    string
  >;
  const file = readdirSync(join(root, folder)).find((entry) => /^licen[cs]e/i.test(entry));
  if (file === undefined) throw new Error(`${folder} has no license file, but its code is bundled`);
  const { packages } = JSON.parse(read("package-lock.json")) as { packages: Record<string, { integrity: string }> };
  const integrity = packages[folder.slice(folder.indexOf("node_modules/"))]?.integrity ?? "";
  // SHA-512 of the package in the registry, from package-lock.json.
  const digest = Buffer.from(integrity.replace(/^sha512-/, ""), "base64").toString("hex");
  return {
    component: {
      ...describeComponent(name, version, `pkg:npm/${name.replace("@", "%40")}@${version}`),
      licenses: [license.includes(" ") ? { expression: license } : { license: { id: license } }],
      hashes: [{ alg: "SHA-512", content: digest }],
    },
    heading: `${name} ${version}, ${license}\n`,
    text: read(`${folder}/${file}`).trim(),
  };
}

/** Formats the licenses of the packages. Packages with the same text share it. */
export function formatLicenses(packages: readonly ReturnType<typeof readPackage>[]): string {
  const headings = new Map<string, string>();
  for (const { heading, text } of packages) headings.set(text, (headings.get(text) ?? "") + heading);
  return [...headings].map(([text, lines]) => `${lines}\n${text}\n`).join("\n");
}

/** Describes Node and the parts that it contains, as `process.versions` lists them. Releases have its license file. */
export function describeNode(versions: Readonly<Record<string, string | undefined>>): Component[] {
  return Object.entries(versions)
    .filter(([name]) => !INTERFACES.includes(name))
    .map(([name, version = ""]) => {
      const licenses = [{ license: { name: "in share/doc/addrsift/copyright, under Node.js" } }];
      const component = { ...describeComponent(name, version, `pkg:generic/${name}@${version}`), licenses };
      return name in CPES ? { ...component, cpe: `cpe:2.3:a:${CPES[name]}:${version}:*:*:*:*:*:*:*` } : component;
    });
}

/** Formats the bill of materials. For reproducible builds, it has no serial number, and no time other than `timestamp`. */
export function formatBill(version: string, components: readonly Component[], timestamp?: string): string {
  const main = describeComponent("addrsift", version, `pkg:npm/addrsift@${version}`);
  const licenses = [{ license: { id: "MIT" } }];
  const component = { ...main, type: "application", licenses, supplier: { name: "The addrsift developers" } };
  const dependencies = [{ ref: main.purl, dependsOn: components.map(({ purl }) => purl) }];
  const metadata = { timestamp, component };
  const bill = { bomFormat: "CycloneDX", specVersion: "1.6", version: 1, metadata, components, dependencies };
  return `${JSON.stringify(bill)}\n`;
}
