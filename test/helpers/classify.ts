// A classifier with the built lists (dist/lists.bin), set up as in the library.

import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseMailbox } from "../../src/address/mailbox.ts";
import type { SyntaxOptions } from "../../src/address/options.ts";
import { ByteWriter } from "../../src/base/bytes/byte-writer.ts";
import { encodeUtf8 } from "../../src/base/bytes/bytes.ts";
import { Classifier, type ClassifierSetup } from "../../src/detection/classifier.ts";
import type { Detection, ValidDetection } from "../../src/detection/detection.ts";
import type { Explanation } from "../../src/detection/evidence.ts";
import { createExplainer } from "../../src/detection/explain.ts";
import { createDetection, formatEmail, JsonRenderer } from "../../src/detection/format.ts";
import { openLists } from "../../src/lists/table-file.ts";

/** The project's folder. */
export const ROOT: string = fileURLToPath(new URL("../..", import.meta.url));
/** The built lists; `npm run build` makes them. */
export const LISTS_PATH: string = join(ROOT, "dist/lists.bin");

export const lists: ClassifierSetup["lists"] = openLists(LISTS_PATH, "in-memory");

/** Settings that a test can override. */
export type ClassifierOptions = Partial<ClassifierSetup>;

/** All results for an address. */
export interface Classification {
  readonly detection: Detection;
  /** The JSON without and with the evidence. */
  readonly json: string;
  readonly explainedJson: string;
  readonly explanation: Explanation;
}

/** Returns a function that computes only the detection, fast enough for tens of thousands of addresses. */
export function createDetect(options: ClassifierOptions = {}): (address: string) => Detection {
  const classifier = new Classifier({ lists, ...options });
  return (address) => {
    const bytes = encodeUtf8(address);
    classifier.classify(bytes, 0, bytes.length);
    return createDetection(address, classifier);
  };
}

/** Returns a function that classifies addresses with one classifier. */
export function createClassify(options: ClassifierOptions = {}): (address: string | Uint8Array) => Classification {
  const setup: ClassifierSetup = { lists, ...options };
  const classifier = new Classifier(setup);
  const renderer = new JsonRenderer();
  const explain = createExplainer(setup);
  return (address) => {
    const bytes = typeof address === "string" ? encodeUtf8(address) : address;
    const end = bytes.length;
    classifier.classify(bytes, 0, end);
    // Rendering takes longer than classifying, and few tests read the JSON: the getters classify again and render.
    const render = (evidence: Explanation | undefined): string => {
      const out = new ByteWriter(64);
      classifier.classify(bytes, 0, end);
      renderer.write(out, { bytes, start: 0, end }, classifier, evidence);
      return new TextDecoder("utf-8", { fatal: true }).decode(out.buffer.subarray(0, out.length));
    };
    const explanation = explain(bytes, 0, end, classifier);
    return {
      detection: createDetection(formatEmail(bytes, 0, end), classifier),
      get json() {
        return render(undefined);
      },
      get explainedJson() {
        return render(explanation);
      },
      explanation,
    };
  };
}

const classifyByDefault = createClassify();

/** Classifies one address. */
export function classify(address: string | Uint8Array, options?: ClassifierOptions): Classification {
  return (options === undefined ? classifyByDefault : createClassify(options))(address);
}

const detectByDefault = createDetect();

/** Returns the detection of an address. Throws if the address is malformed. */
export function classifyValid(address: string, options?: ClassifierOptions): ValidDetection {
  const detection = (options === undefined ? detectByDefault : createDetect(options))(address);
  if (!detection.syntax_validation) throw new Error(`${JSON.stringify(address)} is malformed`);
  return detection;
}

/** Parses an address and returns `ok` or the fault's code. */
export function verdictOf(address: string | Uint8Array, options: SyntaxOptions = {}): string {
  const parsed = parseMailbox(address, options, lists);
  return parsed.ok ? "ok" : parsed.fault.code;
}
