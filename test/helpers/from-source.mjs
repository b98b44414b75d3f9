// Node's arguments for programs that import files of src/.

export const FROM_SOURCE = ["--import", new URL("../../.ci/ts.mjs", import.meta.url).href];
