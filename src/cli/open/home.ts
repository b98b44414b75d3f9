// Where the home is: the one place that decides. It holds the store and updated lists; nothing is made or read here.

import { homedir } from "node:os";
import { isAbsolute, join, resolve } from "node:path";
import { AddrsiftError } from "../../errors.ts";
import type { Arguments } from "../options/arguments.ts";

/** The home's absolute path: --home, else $ADDRSIFT_HOME, else $XDG_DATA_HOME/addrsift, else ~/.local/share/addrsift. */
export function homeFolder(args: Arguments): string {
  const given = args.text("home");
  if (given === "") throw new AddrsiftError("USAGE", "--home is empty: give a folder");
  if (given !== undefined) return resolve(given);
  const { ADDRSIFT_HOME, XDG_DATA_HOME } = process.env;
  if (ADDRSIFT_HOME !== undefined && ADDRSIFT_HOME !== "") return resolve(ADDRSIFT_HOME);
  // A relative one is to be ignored, says the XDG Base Directory Specification.
  if (XDG_DATA_HOME !== undefined && isAbsolute(XDG_DATA_HOME)) return join(XDG_DATA_HOME, "addrsift");
  return join(homedir(), ".local/share/addrsift");
}
