// The inputs of the lists, read once per worker and shared by its tests. Tests must not modify them.

import { lazy } from "../../src/base/memoize.ts";
import { readBuildInputs } from "../../src/curation/build-inputs.ts";
import { readMaintainedLists } from "../../src/curation/read-data.ts";
import { ROOT } from "./classify.ts";

export const maintainedLists = lazy(() => readMaintainedLists(ROOT));
export const inputs = lazy(() => readBuildInputs(ROOT));
