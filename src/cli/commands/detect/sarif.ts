// The format `sarif` (SARIF 2.1.0): findings for code scanning, with a rule for each class. No message has an address.

import { isAbsolute, sep } from "node:path";
import { pathToFileURL } from "node:url";
import type { ByteWriter } from "../../../base/bytes/byte-writer.ts";
import { decodeUtf8, encodeUtf8 } from "../../../base/bytes/bytes.ts";
import { toSentence } from "../../../base/format-text.ts";
import { ALLOW_COMMENT } from "../../../bulk/rows/scan.ts";
import { classNames, type RowClass } from "../../../detection/classes.ts";
import type { Modules } from "../../runtime.ts";
import { type Finding, LintRenderer } from "./lint.ts";

const SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

const CLASS_HELP = "The manual page addrsift-detect(1) describes the class under ROW CLASSES.";
const UNRESERVED_HELP =
  `Use a domain such as example.com. For an address that may stay, write "${ALLOW_COMMENT}" in its line, or list it or ` +
  "its domain in an allow file. In commits, use the address with which your forge hides you.";

/** Creates a result for each class of --fail-on, or else of --select, that a row is in. */
export class SarifRenderer extends LintRenderer {
  private hasResults = false;

  constructor(
    rows: ConstructorParameters<typeof LintRenderer>[0],
    private readonly manifest: Modules["../package.json"],
    pathOf: (name: string) => string,
  ) {
    super(rows, true, undefined, pathOf);
  }

  begin(out: ByteWriter): void {
    const { version, homepage } = this.manifest;
    const manual = homepage && `${homepage}/blob/v${version}/man/addrsift-detect.md#row-classes`;
    const rules = classNames(this.rows.select | this.rows.failOn).map((name) => {
      const isUnreserved = name === "unreserved";
      const text = isUnreserved ? "An address may be a real person's." : `An address or row is ${name}.`;
      return {
        id: name,
        shortDescription: { text },
        fullDescription: { text }, // GitHub's code scanning requires it.
        help: { text: isUnreserved ? UNRESERVED_HELP : CLASS_HELP },
        helpUri: manual,
        properties: { tags: ["email"] },
      };
    });
    const tool = { driver: { name: "addrsift", version, informationUri: homepage, rules } };
    const run = JSON.stringify({ tool, columnKind: "unicodeCodePoints" }).slice(0, -1);
    out.text(`{"$schema":"${SCHEMA}","version":"2.1.0","runs":[${run},"results":[\n`);
  }

  end(out: ByteWriter): void {
    out.text("]}]}\n");
  }

  protected override write(out: ByteWriter, finding: Finding): void {
    for (const name of finding.classes) {
      out.text(`${this.hasResults ? "," : ""}${JSON.stringify(toResult(finding, name))}\n`);
      this.hasResults = true;
    }
  }
}

function toResult({ location, message, fails }: Finding, name: RowClass): object {
  const { commit, file, line, column, endColumn, row } = location;
  const part = commit === undefined ? row && `Row ${row}: ` : `Commit ${commit.slice(0, 12)}: `;
  return {
    ruleId: name,
    level: fails ? "error" : "warning",
    message: { text: `${part ?? ""}${toSentence(message)}` },
    locations: [
      {
        physicalLocation: {
          artifactLocation: { uri: toUri(file) },
          region: { startLine: line, startColumn: column, endColumn },
        },
      },
    ],
    // Distinguishes the authors of two commits, which have the same location. The location in a commit never changes.
    ...(commit !== undefined && {
      partialFingerprints: { "commitLocation/v1": `${name}:${commit}:${file}:${line}:${column}` },
      properties: { commit },
    }),
  };
}

/** Returns a URI reference (RFC 3986) for a path; relative ones are relative to the root of the repository. */
function toUri(file: string): string {
  if (isAbsolute(file)) return pathToFileURL(file).href;
  // Encoding as UTF-8 replaces unpaired surrogates, for which encodeURI would throw.
  const path = decodeUtf8(encodeUtf8(file)).replaceAll(sep, "/").replace(/^\.\//, "");
  return encodeURI(path).replace(/[?#:]/g, encodeURIComponent);
}
