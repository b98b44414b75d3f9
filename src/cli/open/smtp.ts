// The operator's mail settings from the environment, read only here.

import { readFileSync } from "node:fs";
import { AddrsiftError, remedyOf, usage } from "../../base/errors.ts";
import type { Runtime } from "../runtime.ts";

export type SmtpEnvironment = ReturnType<typeof smtpEnvironment>;

/**
 * Reads ADDRSIFT_SMTP_URL, or the file that ADDRSIFT_SMTP_URL_FILE names, and ADDRSIFT_SMTP_FROM. Throws AddrsiftError
 * USAGE when both are set, or the file can't be read or is empty.
 */
export function smtpEnvironment({ env }: Pick<Runtime, "env">) {
  const { ADDRSIFT_SMTP_URL: url = "", ADDRSIFT_SMTP_URL_FILE: file = "", ADDRSIFT_SMTP_FROM: from = "" } = env;
  if (url !== "" && file !== "") {
    throw usage("ADDRSIFT_SMTP_URL and ADDRSIFT_SMTP_URL_FILE are both set: set one of them");
  }
  return { url: (file === "" ? url : secretIn(file)) || undefined, from: from || undefined };
}

/** Whether both are set. Their values are checked when mail is sent. */
export function smtpIsSet(runtime: Pick<Runtime, "env">): boolean {
  const { url, from } = smtpEnvironment(runtime);
  return url !== undefined && from !== undefined;
}

/** The first line of a file, as credentials of systemd and secrets of containers are given. */
function secretIn(file: string): string {
  const [line = ""] = textOf(file).split(/\r?\n/, 1);
  if (line.trim() !== "") return line.trim();
  throw usage("the first line of the file in ADDRSIFT_SMTP_URL_FILE is empty: write the mail server's URL there");
}

function textOf(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw new AddrsiftError("USAGE", `can't read the file in ADDRSIFT_SMTP_URL_FILE: ${remedyOf(error)}`, error);
  }
}
