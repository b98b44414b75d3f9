// Builds the library's declarations, dist/types/. Those of a detection and its evidence come from their shapes: tsc
// would refer to TypeBox, which users don't have, and leave out the descriptions of fields.

import { readdirSync, rmSync } from "node:fs";
import { join, relative } from "node:path";
import ts from "typescript";
import type { Fields, Shape } from "../base/shapes.ts";
import {
  INVALID_DETECTION,
  INVALID_DOMAIN_DETECTION,
  VALID_DETECTION,
  VALID_DOMAIN_DETECTION,
} from "../detection/detection.ts";
import {
  ADDRESS_EXPLANATION,
  DNS_EVIDENCE,
  DOMAIN_EXPLANATION,
  EVIDENCE,
  FAULT_EXPLANATION,
  MATCH,
} from "../detection/evidence.ts";
import { writeIfChanged } from "./bundle.ts";

/** Matches a reference from one declaration file to another. */
const FROM_FILE = /\bfrom "(\.[^"]+)\.ts"/g;

/** Writes the declarations that `root`/src/library/index.ts refers to. It does not check types. */
export function buildTypes(root: string): void {
  const lib = join(root, "dist/types");
  const { config } = ts.readConfigFile(join(root, "tsconfig.json"), ts.sys.readFile);
  const { tsBuildInfoFile: _, incremental: __, ...compilerOptions } = config.compilerOptions;
  const { options } = ts.convertCompilerOptionsFromJson(compilerOptions, root);
  const program = ts.createProgram([join(root, "src/library/index.ts")], {
    ...options,
    noEmit: false,
    noCheck: true,
    emitDeclarationOnly: true,
    declaration: true,
    outDir: lib,
  });
  const all = new Map<string, string>();
  program.emit(undefined, (path, text) => all.set(relative(lib, path), text));
  for (const [name, text] of declareShapes()) all.set(name, text);
  // A CommonJS program needs .cts declarations. ES modules can import them too.
  const files = new Map([["library/index.d.ts", 'export * from "./index.cjs";\n']]);
  for (const name of collectReachable("library/index.d.ts", all))
    files.set(name.replace(/ts$/, "cts"), (all.get(name) as string).replaceAll(FROM_FILE, 'from "$1.cjs"'));
  for (const [name, text] of files) writeIfChanged(join(lib, name), Buffer.from(text));
  for (const entry of readdirSync(lib, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isFile() && !files.has(relative(lib, path))) rmSync(path);
  }
}

function collectReachable(first: string, all: ReadonlyMap<string, string>): ReadonlySet<string> {
  const reachable = new Set([first]);
  for (const name of reachable)
    for (const [, path = ""] of (all.get(name) as string).matchAll(FROM_FILE))
      reachable.add(join(name, "..", `${path}.d.ts`));
  return reachable;
}

function declareShapes(): [string, string][] {
  const evidence = [
    declareShape(MATCH),
    declareShape(DNS_EVIDENCE),
    ...[FAULT_EXPLANATION, ADDRESS_EXPLANATION, DOMAIN_EXPLANATION].map((shape) => declareShape(shape, EVIDENCE)),
    "/** The evidence about an address or a domain, well-formed or not. */\n" +
      "export type Explanation = AddressExplanation | DomainExplanation | FaultExplanation;\n",
  ];
  const detection = [
    'import type { AddressExplanation, DomainExplanation, FaultExplanation } from "./evidence.ts";\n',
    declareShape(INVALID_DETECTION, VALID_DETECTION.properties),
    declareShape(VALID_DETECTION),
    `/** How the disposable classification was reached. */
export type DetectionSource = ValidDetection["detection_source"];
`,
    `/** The result for one address. Keys are in the order of the types. */
export type Detection = InvalidDetection | ValidDetection;
`,
    declareShape(INVALID_DOMAIN_DETECTION, VALID_DOMAIN_DETECTION.properties),
    declareShape(VALID_DOMAIN_DETECTION),
    `/** The result for one domain. Keys are in the order of the types. */
export type DomainDetection = InvalidDomainDetection | ValidDomainDetection;
`,
  ];
  return [
    ["detection/evidence.d.ts", evidence.join("\n")],
    ["detection/detection.d.ts", detection.join("\n")],
  ];
}

/** Declares an interface. Other fields of `all` are undefined, so that destructuring narrows. */
function declareShape({ $id, description = "", properties, required = [] }: Shape, all: Fields = {}): string {
  const missingFields = Object.keys(all).filter((field) => !Object.hasOwn(properties, field));
  const lines = missingFields.map((field) => `${field}?: undefined;\n`).join("");
  return `${comment(description)}export interface ${$id} ${fieldsType(properties, required).replace(/}$/, `${lines}}`)}\n`;
}

function fieldsType(fields: Fields, required: readonly string[]): string {
  const lines = Object.entries(fields).map(([name, shape]) => {
    const description = shape.description === undefined ? "" : comment(shape.description);
    return `${description}${name}${required.includes(name) ? "" : "?"}: ${typeOf(shape)};`;
  });
  return `{\n${lines.join("\n")}\n}`;
}

function typeOf(shape: Shape): string {
  const { $id, const: value, enum: words, type, items, properties, required } = shape;
  if ($id !== undefined) return $id;
  if (value !== undefined) return JSON.stringify(value);
  if (words !== undefined) return words.map((word: unknown) => JSON.stringify(word)).join(" | ");
  if (type === "array") return `readonly ${items.enum === undefined ? typeOf(items) : `(${typeOf(items)})`}[]`;
  if (type === "object") return fieldsType(properties, required ?? []);
  if (type === "integer") return "number";
  if (type === "string" || type === "boolean" || type === "number") return type;
  throw new Error(`a shape has no declaration: ${JSON.stringify(shape)}`);
}

function comment(text: string): string {
  return `/** ${text} */\n`;
}
