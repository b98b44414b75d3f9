// The start of a worker thread, which `startWorker` of run.ts loads.

import { createRequire } from "node:module";
import { parentPort, workerData } from "node:worker_threads";
import { serveWorker } from "./commands/detect/threads.ts";
import { packageLoader } from "./packages.ts";

const root = (workerData as { root: string }).root;
if (parentPort !== null) serveWorker(parentPort, workerData, packageLoader(createRequire(`${root}/bin/addrsift.cjs`)));
