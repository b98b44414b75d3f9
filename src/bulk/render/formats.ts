// The table of data formats: the renderer of each, and the options and inputs that it supports. Formats for people and
// for CI are in src/cli.

import { COMMA } from "../../base/bytes/ascii.ts";
import type { ClassifierSetup } from "../../detection/classifier.ts";
import { createExplainer, type Explainer } from "../../detection/explain.ts";
import { FieldReader } from "../../detection/field-reader.ts";
import type { Field } from "../../detection/fields.ts";
import type { RowLayout } from "../rows/layout.ts";
import { CsvQuoting, DelimitedEncoder, TsvQuoting } from "./encodings.ts";
import { ObjectRow } from "./json-lines.ts";
import { LocationPrefix } from "./location-prefix.ts";
import {
  AddressColumn,
  DelimitedRenderer,
  DetectionRow,
  JsonRowsRenderer,
  PlainRenderer,
  RecordRenderer,
  type Renderer,
  type SelectedFields,
  SelectedFieldsRow,
} from "./render.ts";

/** Capabilities of a format. Options that need others are rejected, so a new format starts with none. */
export interface FormatFacts {
  /** Input kinds whose rows are echoed with fields added. */
  readonly echoes?: readonly RowLayout["kind"][];
  /** Supports --fields. */
  readonly hasFields?: true;
  /** Supports --explain. */
  readonly hasExplain?: true;
  /** Rows contain the locations of --scan. */
  readonly hasLocations?: true;
  /** No row depends on others and nothing follows the last one, so outputs of parts can be concatenated. */
  readonly hasIndependentRows?: true;
  /** Rows have columns, separated by a delimiter. */
  readonly hasColumns?: true;
  /** Spreadsheets open the format and evaluate formulas in it. */
  readonly hasFormulas?: true;
  /** Echoes the byte-order mark of the input. */
  readonly keepsMark?: true;
  /** Rows are echoed and nothing is added. */
  readonly isInput?: true;
  /** Shows only rows of the classes of --fail-on, each with its location. */
  readonly isFindings?: true;
}

interface RenderOptions {
  readonly spreadsheetSafe: boolean;
  /** Name of the first column, for inputs without columns. */
  readonly subject: "email" | "domain";
  /** Undefined: the default fields. */
  readonly fields: SelectedFields | undefined;
}

/** The settings that the output depends on. */
interface OutputSettings extends Pick<RenderOptions, "spreadsheetSafe"> {
  readonly policy: Pick<ClassifierSetup, "subject">;
  readonly fields: readonly Field[] | undefined;
  readonly explain: boolean;
}

interface DataFormatRow extends FormatFacts {
  /** `header` is the first line of the output if records are echoed with columns added. */
  readonly createRenderer: (layout: RowLayout, options: RenderOptions, header: Uint8Array) => Renderer;
}

export const DATA_FORMATS = ["ndjson", "json", "csv", "tsv", "plain"] as const;
export type DataFormat = (typeof DATA_FORMATS)[number];

export const FORMAT_TABLE: Readonly<Record<DataFormat, DataFormatRow>> = {
  ndjson: {
    echoes: ["jsonl"],
    hasFields: true,
    hasExplain: true,
    hasLocations: true,
    hasIndependentRows: true,
    createRenderer: (layout, options) => createJsonRenderer(layout, options, false),
  },
  json: {
    echoes: ["jsonl"],
    hasFields: true,
    hasExplain: true,
    hasLocations: true,
    createRenderer: (layout, options) => createJsonRenderer(layout, options, true),
  },
  csv: {
    echoes: ["csv"],
    hasFields: true,
    hasLocations: true,
    hasIndependentRows: true,
    hasColumns: true,
    hasFormulas: true,
    keepsMark: true,
    createRenderer: (layout, { spreadsheetSafe, subject, fields }, header) => {
      if (layout.kind === "csv") {
        const form = new DelimitedEncoder(new CsvQuoting(layout.delimiter, spreadsheetSafe), "");
        return new RecordRenderer(form, header, fields);
      }
      const quoting = new CsvQuoting(COMMA, spreadsheetSafe);
      const before =
        layout.kind === "scan" ? new LocationPrefix(quoting, layout.log === true) : new AddressColumn(quoting, subject);
      return new DelimitedRenderer(quoting, before, fields);
    },
  },
  tsv: {
    echoes: ["tsv"],
    hasFields: true,
    hasIndependentRows: true,
    hasColumns: true,
    createRenderer: (layout, { subject, fields }, header) => {
      const quoting = new TsvQuoting();
      if (layout.kind === "tsv") return new RecordRenderer(new DelimitedEncoder(quoting, "\\N"), header, fields);
      return new DelimitedRenderer(quoting, new AddressColumn(quoting, subject), fields);
    },
  },
  plain: {
    echoes: ["csv", "tsv", "jsonl"],
    hasIndependentRows: true,
    keepsMark: true,
    isInput: true,
    createRenderer: () => new PlainRenderer(),
  },
};

function createJsonRenderer(layout: RowLayout, { fields }: RenderOptions, isArray: boolean): Renderer {
  if (layout.kind === "jsonl") return new JsonRowsRenderer(new ObjectRow(layout, fields), isArray);
  const before = layout.kind === "scan" ? new LocationPrefix(undefined, layout.log === true) : undefined;
  const isWhole = fields === undefined && before === undefined;
  return new JsonRowsRenderer(isWhole ? new DetectionRow() : new SelectedFieldsRow(before, fields), isArray);
}

/** Returns the format that echoes rows of this kind with fields added. */
export function sameFormatAsInput(kind: RowLayout["kind"]): DataFormat {
  return DATA_FORMATS.find((name) => FORMAT_TABLE[name].echoes?.includes(kind)) ?? "ndjson";
}

/** An output format with its settings: creates the renderer and the evidence for it. */
export interface RowOutput {
  readonly name: string;
  readonly format: FormatFacts;
  /** `header` is the first line of the output if records are echoed with columns added. */
  readonly createRenderer: (setup: ClassifierSetup, layout: RowLayout, header?: Uint8Array) => Renderer;
  /** Undefined without --explain. */
  readonly createExplain: ((setup: ClassifierSetup) => Explainer) | undefined;
}

export function createDataOutput(name: DataFormat, rows: OutputSettings): RowOutput {
  const format = FORMAT_TABLE[name];
  const subject = rows.policy.subject === "domain" ? "domain" : "email";
  const { spreadsheetSafe } = rows;
  return {
    name,
    format,
    createRenderer: (setup, layout, header = new Uint8Array(0)) =>
      format.createRenderer(layout, { spreadsheetSafe, subject, fields: selectFields(rows, setup) }, header),
    createExplain: rows.explain ? (setup) => createExplainer(setup, { cachesDomains: true }) : undefined,
  };
}

/** Returns the selected fields with their reader; undefined without --fields. */
export function selectFields(
  { fields }: Pick<OutputSettings, "fields">,
  setup: ClassifierSetup,
): SelectedFields | undefined {
  return fields === undefined ? undefined : { names: fields, reader: new FieldReader(setup) };
}
