// The operator's mail settings from the environment, read only here.

import type { Runtime } from "../runtime.ts";

/** The SMTP server and the sender's address; undefined where not set. */
export interface SmtpEnvironment {
  readonly url: string | undefined;
  readonly from: string | undefined;
}

/** Reads ADDRSIFT_SMTP_URL and ADDRSIFT_SMTP_FROM. */
export function smtpEnvironment({ env }: Pick<Runtime, "env">): SmtpEnvironment {
  return { url: env["ADDRSIFT_SMTP_URL"] || undefined, from: env["ADDRSIFT_SMTP_FROM"] || undefined };
}

/** Whether both are set. Their values are checked when mail is sent. */
export function smtpIsSet(runtime: Pick<Runtime, "env">): boolean {
  const { url, from } = smtpEnvironment(runtime);
  return url !== undefined && from !== undefined;
}
