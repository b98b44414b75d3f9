// The routes that test and verify a team's channels and list their deliveries.

import type { Result } from "../../../address/mailbox.ts";
import type { Notifications } from "../../../channels/notifications.ts";
import type { NotifyFault } from "../../../channels/notify-fault.ts";
import { type Answer, fault, success } from "../../http/answer.ts";
import type { ApiRequest, Handlers } from "../../http/route.ts";
import { idOf, teamOf } from "./channels.ts";

/** Handlers for the notifications of one store. */
export function notificationHandlers(
  notifications: Notifications,
): Pick<Handlers, "testChannel" | "requestVerification" | "listDeliveries"> {
  const told = (request: ApiRequest, outcome: Result<string, NotifyFault>): Answer => {
    if (!outcome.ok) return refused(outcome.fault);
    const channel = notifications.shown(teamOf(request), idOf(request));
    return success({ message: outcome.value, id: idOf(request), is_verified: channel?.is_verified === true });
  };
  return {
    testChannel: async (request) => told(request, await notifications.test(teamOf(request), idOf(request))),
    requestVerification: async (request) => told(request, await notifications.verify(teamOf(request), idOf(request))),
    listDeliveries: (request) => {
      const outcome = notifications.deliveries(teamOf(request), idOf(request));
      if (!outcome.ok) return refused(outcome.fault);
      const none = "Nothing was sent to the channel in the last 30 days.";
      const message = outcome.value.length === 0 ? none : "These are the channel's deliveries, the latest first.";
      return success({ message, data: outcome.value });
    },
  };
}

function refused({ code, message, retryAfterSeconds }: NotifyFault): Answer {
  const headers = retryAfterSeconds === undefined ? undefined : ["Retry-After", String(retryAfterSeconds)];
  return fault(code, message, headers);
}
