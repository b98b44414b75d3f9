// The renderer of each data format. Formats for people and for CI are in src/cli.

import { COMMA } from "../../base/bytes/ascii.ts";
import type { ClassifierSetup } from "../../detection/classifier.ts";
import { createExplainer, type Explainer } from "../../detection/explain.ts";
import { FieldReader } from "../../detection/field-reader.ts";
import type { Field } from "../../detection/fields.ts";
import type { RowLayout } from "../rows/layout.ts";
import { CsvQuoting, DelimitedEncoder, TsvQuoting } from "./encodings.ts";
import { type DataFormat, FORMAT_FACTS, type FormatFacts } from "./format-facts.ts";
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

interface RenderOptions {
  readonly spreadsheetSafe: boolean;
  /** Name of the first column, for inputs without columns. */
  readonly subject: "email" | "domain";
  /** Undefined: the default fields. */
  readonly fields: SelectedFields | undefined;
}

interface OutputSettings extends Pick<RenderOptions, "spreadsheetSafe"> {
  readonly policy: Pick<ClassifierSetup, "subject">;
  readonly fields: readonly Field[] | undefined;
  readonly explain: boolean;
}

/** `header` is the first line of the output if records are echoed with columns added. */
type CreateRenderer = (layout: RowLayout, options: RenderOptions, header: Uint8Array) => Renderer;

const RENDERERS: Readonly<Record<DataFormat, CreateRenderer>> = {
  ndjson: (layout, options) => createJsonRenderer(layout, options, false),
  json: (layout, options) => createJsonRenderer(layout, options, true),
  csv: (layout, { spreadsheetSafe, subject, fields }, header) => {
    if (layout.kind === "csv") {
      const encoder = new DelimitedEncoder(new CsvQuoting(layout.delimiter, spreadsheetSafe), "");
      return new RecordRenderer(encoder, header, fields);
    }
    const quoting = new CsvQuoting(COMMA, spreadsheetSafe);
    const prefix =
      layout.kind === "scan" ? new LocationPrefix(quoting, layout.isLog === true) : new AddressColumn(quoting, subject);
    return new DelimitedRenderer(quoting, prefix, fields);
  },
  tsv: (layout, { subject, fields }, header) => {
    const quoting = new TsvQuoting();
    if (layout.kind === "tsv") return new RecordRenderer(new DelimitedEncoder(quoting, "\\N"), header, fields);
    return new DelimitedRenderer(quoting, new AddressColumn(quoting, subject), fields);
  },
  plain: () => new PlainRenderer(),
};

function createJsonRenderer(layout: RowLayout, { fields }: RenderOptions, isArray: boolean): Renderer {
  if (layout.kind === "jsonl") return new JsonRowsRenderer(new ObjectRow(layout, fields), isArray);
  const prefix = layout.kind === "scan" ? new LocationPrefix(undefined, layout.isLog === true) : undefined;
  const isWhole = fields === undefined && prefix === undefined;
  return new JsonRowsRenderer(isWhole ? new DetectionRow() : new SelectedFieldsRow(prefix, fields), isArray);
}

/** An output format with its settings. */
export interface RowOutput {
  readonly name: string;
  readonly format: FormatFacts;
  /** `header` is the first line of the output if records are echoed with columns added. */
  readonly createRenderer: (setup: ClassifierSetup, layout: RowLayout, header?: Uint8Array) => Renderer;
  /** Creates the function that collects the evidence of addresses; undefined without --explain. */
  readonly createExplain: ((setup: ClassifierSetup) => Explainer) | undefined;
}

export function createDataOutput(name: DataFormat, settings: OutputSettings): RowOutput {
  const subject = settings.policy.subject === "domain" ? "domain" : "email";
  const { spreadsheetSafe } = settings;
  return {
    name,
    format: FORMAT_FACTS[name],
    createRenderer: (setup, layout, header = new Uint8Array(0)) =>
      RENDERERS[name](layout, { spreadsheetSafe, subject, fields: selectFields(settings, setup) }, header),
    createExplain: settings.explain ? (setup) => createExplainer(setup, { cachesDomains: true }) : undefined,
  };
}

/** Returns the selected fields with their reader; undefined without --fields. */
export function selectFields(
  { fields }: Pick<OutputSettings, "fields">,
  setup: ClassifierSetup,
): SelectedFields | undefined {
  return fields === undefined ? undefined : { names: fields, reader: new FieldReader(setup) };
}
