// Before unit tests: they run on the sources, and need the compiled lists only.

import { buildOrExit } from "./fresh-build.ts";

export default (): void => buildOrExit("lists");
