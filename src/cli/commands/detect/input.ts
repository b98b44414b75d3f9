// An opened input with the scanner that finds its rows and the renderer that shows them, those for people and for CI included.

import type { TextTools } from "../../../bulk/beginning/beginning.ts";
import { COMMAND_LINE, inWordsOf } from "../../../bulk/face.ts";
import type { ByteSource } from "../../../bulk/ports.ts";
import type { FieldChoice, Renderer } from "../../../bulk/render/render.ts";
import { createScanner, ownFormat } from "../../../bulk/row-layout.ts";
import type { Scanner } from "../../../bulk/rows/scanner.ts";
import { GunzipSource } from "../../../bulk/run/gunzip.ts";
import { type OpenedRows, openFurtherRows, openingOf, openRows } from "../../../bulk/run/open-rows.ts";
import type { Runtime } from "../../runtime.ts";
import { type Format, rendererOf } from "./format-choice.ts";
import type { DetectSettings } from "./settings.ts";

const NOTHING = new Uint8Array(0);

/** An opened input, and how its rows are read and shown. */
export interface Input extends OpenedRows {
  readonly scanner: Scanner;
  readonly renderer: Renderer;
  readonly format: Format;
  /** Octets at the beginning of the output: a byte-order mark, the header of the input. */
  readonly opening: Uint8Array;
}

/** What is known where an input is opened. */
export interface InputContext {
  /** What messages call the input. */
  readonly shown: string;
  /** Told in a sentence what was found or converted. */
  readonly tell: (note: string) => void;
  /** The fields that rows carry, if they are chosen. */
  readonly fields?: FieldChoice | undefined;
  /** The first input, when this is a further one: it has the same form, and its rows follow. */
  readonly first: Input | undefined;
}

/** Reads the beginning of the source, as far as needed. Throws AddrsiftError for wrong options or an unreadable header. */
export async function openInput(
  source: ByteSource,
  settings: DetectSettings,
  runtime: Runtime,
  context: InputContext = { shown: "the input", tell: () => {}, first: undefined },
): Promise<Input> {
  const { shown, tell, first, fields } = context;
  const tools: TextTools = {
    gunzip: (packed) => new GunzipSource(packed, shown, runtime.load("node:zlib")),
    tell: (note) => tell(inWordsOf(COMMAND_LINE, note)),
  };
  if (first !== undefined) {
    const further = await openFurtherRows(source, first, settings.part, tools);
    return { ...first, ...further, scanner: createScanner(first.layout, first.format), opening: NOTHING };
  }
  const opened = await openRows(source, settings, tools);
  const { layout, csv } = opened;
  const format = settings.format === "auto" ? ownFormat(layout) : settings.format;
  const create = await rendererOf(format, settings, runtime);
  const scanner = createScanner(layout, format);
  return {
    ...opened,
    scanner,
    renderer: create(fields, layout, csv?.header),
    format,
    opening: openingOf(opened, format),
  };
}
