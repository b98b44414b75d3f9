// Where the home is: the one place that decides. It holds the store and updated lists; nothing is made or read here.

import { homedir } from "node:os";
import { isAbsolute, join, resolve } from "node:path";
import { AddrsiftError } from "../../errors.ts";
import type { Arguments } from "../options/arguments.ts";

/** A home, and whether the caller named it: in --home or $ADDRSIFT_HOME. */
export interface Home {
  readonly folder: string;
  readonly named: boolean;
}

/**
 * The home's absolute path: --home, else $ADDRSIFT_HOME, else $XDG_DATA_HOME/addrsift, else ~/.local/share/addrsift. Throws
 * AddrsiftError USAGE for an empty --home, and OPERATION when there is none.
 */
export function homeFolder(args: Arguments): string {
  const home = findHome(args);
  if (home !== undefined) return home.folder;
  throw new AddrsiftError(
    "OPERATION",
    "this user has no home folder: give --home DIR, or set ADDRSIFT_HOME or HOME to a folder",
  );
}

/** The home; undefined for a user without one, which the system says of a user that it does not know while HOME is not set. */
export function findHome(args: Arguments): Home | undefined {
  const given = args.text("home");
  if (given === "") throw new AddrsiftError("USAGE", "--home is empty: give a folder");
  if (given !== undefined) return { folder: resolve(given), named: true };
  const { ADDRSIFT_HOME, XDG_DATA_HOME } = process.env;
  if (ADDRSIFT_HOME !== undefined && ADDRSIFT_HOME !== "") return { folder: resolve(ADDRSIFT_HOME), named: true };
  // A relative one is to be ignored, says the XDG Base Directory Specification.
  if (XDG_DATA_HOME !== undefined && isAbsolute(XDG_DATA_HOME))
    return { folder: join(XDG_DATA_HOME, "addrsift"), named: false };
  const user = userFolder();
  return user === undefined ? undefined : { folder: join(user, ".local/share/addrsift"), named: false };
}

function userFolder(): string | undefined {
  try {
    return homedir();
  } catch {
    return undefined;
  }
}
