// Records events and delivers them, as the command line and the daemon do, until it is killed. Prints each recorded
// event on a line of standard output: the event's number and its delivery's id.
//   node test/soak/delivery-worker.mjs HOME FIRST LAST LEASE_MS

import { randomBytes } from "node:crypto";
import { writeSync } from "node:fs";
import ipaddr from "ipaddr.js";
import * as undici from "undici";
import { DELIVERIES } from "../../src/channels/delivery/record.ts";
import { createEvent } from "../../src/channels/events.ts";
import { Notifications } from "../../src/channels/notifications.ts";
import { CHANNELS } from "../../src/channels/record.ts";
import { createClient } from "../../src/outbound/client.ts";
import { createGuard } from "../../src/outbound/guard.ts";
import { systemLookup } from "../../src/outbound/lookup.ts";
import { Store } from "../../src/store/store.ts";

const [folder, first, last, leaseMs] = process.argv.slice(2);
const warn = (line) => writeSync(2, `${line}\n`);
const store = new Store({ folder, file: "store.json", warn }, [CHANNELS]);
const outboxStore = new Store({ folder, file: "deliveries.json", warn }, [DELIVERIES]);
const client = createClient({
  undici: () => undici,
  guard: () => createGuard(ipaddr, ["127.0.0.0/8"]),
  lookup: systemLookup,
});
const notifications = new Notifications(store, outboxStore, {
  now: Date.now,
  random: randomBytes,
  sender: { now: Date.now, client, mailer: "no mail" },
  leaseMs: Number(leaseMs),
  jitter: Math.random,
  releasesUnsendable: false,
  reportFailure: (failure) => warn(String(failure)),
});

notifications.deliverer.start();
// The deliverer keeps no process alive.
setInterval(() => {}, 1000);
for (let rows = Number(first); rows <= Number(last); rows += 1) {
  const data = { rows, classes: {}, duration_ms: 0, exit_status: 0, data_version: "soak" };
  const { deliveries } = await notifications.publish(createEvent("detection.completed", data, Date.now()));
  writeSync(1, `${rows} ${deliveries.join(",")}\n`);
}
