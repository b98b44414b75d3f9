// Every command line that is not a plain `detect ADDRESS`.

export { reportFailure, run } from "../run.ts";
