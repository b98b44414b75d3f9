// The routes that test and verify a team's channels and list their deliveries.

import { listOf, text } from "../../../base/shapes.ts";
import { SHOWN_CHANNEL } from "../../../channels/config/redaction.ts";
import { SHOWN_DELIVERY } from "../../../channels/delivery/record.ts";
import type { NotifyFault } from "../../../channels/fault.ts";
import type { ActionOutcome } from "../../../channels/notifications.ts";
import { type Answer, fault, success } from "../../http/answer.ts";
import type { RouteOver } from "../../http/route.ts";
import { answerOf, dataAnswer } from "../answer-shapes.ts";
import { CHANNEL, type ChannelParts, idOf, teamOf } from "./channels.ts";

const TOLD_ANSWER = answerOf("ToldAnswer", { message: text(), ...SHOWN_CHANNEL.properties });
const REPLAY_ANSWER = answerOf("ReplayAnswer", { message: text(), ...SHOWN_DELIVERY.properties });

export const NOTIFICATION_ROUTES: readonly RouteOver<ChannelParts>[] = [
  {
    id: "testChannel",
    method: "POST",
    path: `${CHANNEL}/test`,
    scope: "notifications:test",
    summary: "Send a test; a webhook or chat that takes it is verified, an unverified address is mailed its link",
    answer: TOLD_ANSWER,
    faults: ["NOT_FOUND", "INVALID_BODY", "TEST_FAILED"],
    handler:
      ({ notifications }) =>
      async (request) =>
        told(await notifications.test(teamOf(request), idOf(request))),
  },
  {
    id: "requestVerification",
    method: "POST",
    path: `${CHANNEL}/verification`,
    scope: "notifications:update",
    summary: "Mail the verification link again; older links end",
    answer: TOLD_ANSWER,
    faults: ["NOT_FOUND", "INVALID_BODY", "TEST_FAILED"],
    handler:
      ({ notifications }) =>
      async (request) =>
        told(await notifications.verify(teamOf(request), idOf(request))),
  },
  {
    id: "listDeliveries",
    method: "GET",
    path: `${CHANNEL}/deliveries`,
    scope: "notifications:read",
    summary: "List the channel's deliveries of the last 30 days, the latest first",
    answer: dataAnswer("DeliveriesAnswer", listOf(SHOWN_DELIVERY)),
    faults: ["NOT_FOUND"],
    handler:
      ({ notifications }) =>
      (request) => {
        const outcome = notifications.deliveries(teamOf(request), idOf(request));
        if (!outcome.ok) return refused(outcome.fault);
        const none = "Nothing was sent to the channel in the last 30 days.";
        const message = outcome.value.length === 0 ? none : "These are the channel's deliveries, the latest first.";
        return success({ message, data: outcome.value });
      },
  },
  {
    id: "replayDelivery",
    method: "POST",
    path: `${CHANNEL}/deliveries/{delivery}/replay`,
    scope: "notifications:test",
    summary: "Send a delivery again under its webhook-id; when that fails, it is tried again like a new one",
    answer: REPLAY_ANSWER,
    faults: ["NOT_FOUND", "INVALID_BODY"],
    handler:
      ({ notifications }) =>
      async (request) => {
        const outcome = await notifications.replay(teamOf(request), request.params[1] as string, idOf(request));
        if (!outcome.ok) return refused(outcome.fault);
        const message =
          outcome.value.status === "delivered" ? "The event was delivered." : "The event was not delivered.";
        return success({ message, ...outcome.value });
      },
  },
];

function told(outcome: ActionOutcome): Answer {
  if (!outcome.ok) return refused(outcome.fault);
  const { channel, message } = outcome.value;
  return success({ message, ...channel });
}

function refused({ code, message, retryAfterSeconds }: NotifyFault): Answer {
  const headers = retryAfterSeconds === undefined ? undefined : ["Retry-After", String(retryAfterSeconds)];
  return fault(code, message, headers);
}
