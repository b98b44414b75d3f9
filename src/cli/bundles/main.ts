// Every command line that is not a plain `detect ADDRESS`, and overrides that a one-off can't read from their table.

export { readOverrides } from "../../overrides/in-force.ts";
export { reportFailure, run } from "../run.ts";
