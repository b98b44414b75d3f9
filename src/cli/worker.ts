// The start of a worker thread, which `startWorker` of run.ts loads.

import { parentPort, workerData } from "node:worker_threads";
import { serveWorker } from "./commands/detect/threads.ts";

if (parentPort !== null) serveWorker(parentPort, workerData);
