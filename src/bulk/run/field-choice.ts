// The fields that rows carry, with what reads them. Worker threads load this, and no table.

import type { ClassifierSetup } from "../../detection/classifier.ts";
import { FieldReader } from "../../detection/field-reader.ts";
import type { FieldChoice, RenderOptions } from "../render/render.ts";
import type { RowSettings } from "./settings.ts";

/** The chosen fields with their reader; undefined where none were chosen. */
export function fieldChoice({ fields }: RowSettings, setup: ClassifierSetup): FieldChoice | undefined {
  return fields === undefined ? undefined : { names: fields, reader: new FieldReader(setup) };
}

/** What the settings say about the output of rows. */
export function renderOptions(rows: RowSettings, fields: FieldChoice | undefined): RenderOptions {
  const subject = rows.policy.subject === "domain" ? "domain" : "email";
  return { spreadsheetSafe: rows.spreadsheetSafe, subject, fields };
}
