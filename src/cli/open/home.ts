// Finds the home, which holds the store and updated lists. Nothing is created or read here.

import { homedir } from "node:os";
import { isAbsolute, join, resolve } from "node:path";
import { AddrsiftError } from "../../base/errors.ts";
import type { Home } from "../../home/lists.ts";
import type { GlobalOptions } from "../options/shared.ts";
import type { Runtime } from "../runtime.ts";

type HomeOption = Pick<GlobalOptions, "home">;
type Environment = Pick<Runtime, "env">;

/** The home's absolute path. Throws AddrsiftError USAGE for an empty --home, and OPERATION when there is none. */
export function homeFolder(options: HomeOption, runtime: Environment): string {
  return requireHome(options, runtime).folder;
}

/** The home of a command that needs one. Throws as `homeFolder` does. */
export function requireHome(options: HomeOption, runtime: Environment): Home {
  const home = findHome(options, runtime);
  if (home !== undefined) return home;
  throw new AddrsiftError(
    "OPERATION",
    "this user has no home folder: give --home DIR, or set ADDRSIFT_HOME or HOME to a folder",
  );
}

/**
 * The home: --home, else $ADDRSIFT_HOME, else $XDG_DATA_HOME/addrsift, else ~/.local/share/addrsift. Undefined for a user without
 * a home folder: HOME is not set and the system does not know the user. Throws AddrsiftError USAGE for an empty --home.
 */
export function findHome({ home: given }: HomeOption, { env }: Environment): Home | undefined {
  if (given === "") throw new AddrsiftError("USAGE", "--home is empty: give a folder");
  if (given !== undefined) return { folder: resolve(given), named: true };
  const { ADDRSIFT_HOME, XDG_DATA_HOME } = env;
  if (ADDRSIFT_HOME !== undefined && ADDRSIFT_HOME !== "") return { folder: resolve(ADDRSIFT_HOME), named: true };
  // The XDG Base Directory Specification says to ignore a relative one.
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
