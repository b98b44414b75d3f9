// Tests the log line about a channel whose deliveries have failed for a day.

import { expect, it, onTestFinished } from "vitest";
import type { Attempt } from "../../../../../src/channels/attempt.ts";
import { DELIVERIES } from "../../../../../src/channels/delivery/record.ts";
import type { ChannelRecord } from "../../../../../src/channels/record.ts";
import { AttemptLog } from "../../../../../src/cli/commands/serve/health.ts";
import type { DaemonLog } from "../../../../../src/cli/commands/serve/log.ts";
import { Counters } from "../../../../../src/server/counters.ts";
import { Store } from "../../../../../src/store/store.ts";
import { storedChannel, storedDeliveries, writeRecords } from "../../../../helpers/home-files.ts";
import { scratch } from "../../../../helpers/run.ts";

it("a channel whose deliveries have failed for a day is logged once, and again if they fail after a success", () => {
  const home = scratch();
  onTestFinished(home.remove);
  const [delivery] = Object.values(storedDeliveries("msg_", "ch_1", 1));
  const now = (delivery?.["created_at"] as number) + 86_400_000;
  const failedDelivery = {
    ...delivery,
    attempt_log: [{ at: now - 86_400_000, ok: false, error: "the webhook answered 500" }],
  };
  writeRecords(home.path, "deliveries.json", { deliveries: { msg_0: failedDelivery } });
  const lines: unknown[] = [];
  const log = { warn: (...line: unknown[]) => lines.push(line) } as unknown as DaemonLog;
  const deliveries = new Store({ folder: home.path, file: "deliveries.json", warn: () => {} }, [DELIVERIES]);
  const attempts = new AttemptLog(new Counters(), log, deliveries, () => now);
  const channel = storedChannel("ch_1", "https://hooks.example.com/") as unknown as ChannelRecord;
  const failed: Attempt = { ok: false, reason: "the webhook answered 500", verdict: "retry" };
  const line = [
    "deliveries to a channel have failed for a day: check it",
    { channel: "ch_1", team: "default", type: "webhook", reason: "the webhook answered 500" },
  ];
  const recorded = [failed, failed, { ok: true } as const, failed].map((attempt) => {
    attempts.record({ channel, attempt, delivery: undefined, lostVerification: false });
    return lines.splice(0);
  });
  expect(recorded).toEqual([[line], [], [], [line]]);
});
