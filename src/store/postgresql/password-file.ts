// The password file of PostgreSQL's own programs. The package pg reads it too, and warns on standard error that it will not for ever.

import { readFileSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";

/** A connection that is being made. */
interface Wanted {
  readonly host: string;
  readonly port: number;
  readonly database: string;
  readonly user: string;
}

const OTHERS = 0o077;
// The server refuses it. Where there is nothing to send, the package leaves the connection open, and no command would end.
const NONE = " ";

/** The password in the file of PGPASSFILE or `~/.pgpass`; a wrong one when there is none, or others may read the file, as with libpq. */
export function filePassword({ host, port, database, user }: Wanted): string {
  const path = process.env["PGPASSFILE"] ?? join(homedir(), ".pgpass");
  const wanted = [host, String(port), database, user];
  try {
    if ((statSync(path).mode & OTHERS) !== 0) return NONE;
    for (const line of readFileSync(path, "utf8").split(/\r?\n/)) {
      if (line.startsWith("#")) continue;
      // A colon or backslash in a field has a backslash before it.
      const fields = [...line.matchAll(/((?:\\.|[^:\\])*)(?::|$)/g)].map(([, field = ""]) =>
        field.replace(/\\(.)/g, "$1"),
      );
      if (fields.length > wanted.length && wanted.every((one, i) => fields[i] === "*" || fields[i] === one)) {
        return fields[wanted.length] as string;
      }
    }
  } catch {
    // Without the file there is no password in it. The server says whether it wants one.
  }
  return NONE;
}
