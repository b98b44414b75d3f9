// `GET` and `POST /verify/{token}`: the page of a mailed link. Opening it changes nothing, because mail scanners open links; its
// button does.

import type { Result } from "../../../base/result.ts";
import type { NotifyFault } from "../../../channels/fault.ts";
import type { Verifiable, Verifications } from "../../../channels/verification/verifications.ts";
import { type Answer, fault } from "../../http/answer.ts";
import { API_FAULTS } from "../../http/faults.ts";
import type { ApiRequest, RouteOver } from "../../http/route.ts";
import { pageAnswer, SECRET_PATHS } from "./page.ts";

const PATH = `${SECRET_PATHS.begin}{token}`;

/** What these routes work with. */
export interface VerifyParts {
  readonly verifications: Verifications;
}

export const VERIFY_ROUTES: readonly RouteOver<VerifyParts>[] = [
  {
    id: "showVerification",
    method: "GET",
    path: PATH,
    summary: "The page of a verification link; opening it changes nothing",
    answer: "text/html",
    faults: ["NOT_FOUND", "TOKEN_USED", "TOKEN_EXPIRED", "NOT_READY"],
    handler:
      ({ verifications }) =>
      (request) => {
        const found = verifications.look(tokenOf(request));
        return found.ok ? question(found.value) : refused(found, request);
      },
  },
  {
    id: "confirmVerification",
    method: "POST",
    path: PATH,
    summary: "Verify the address that the link was mailed to",
    answer: "text/html",
    faults: ["NOT_FOUND", "TOKEN_USED", "TOKEN_EXPIRED", "NOT_READY", "STORAGE_FULL"],
    handler:
      ({ verifications }) =>
      async (request) => {
        const done = await verifications.confirm(tokenOf(request));
        return done.ok ? confirmed(done.value) : refused(done, request);
      },
  },
];

function tokenOf({ params }: ApiRequest): string {
  return params[0] as string;
}

function question({ address }: Verifiable): Answer {
  return pageAnswer({
    status: 200,
    heading: "Confirm this address",
    paragraphs: [
      `Send addrsift notifications to ${address}?`,
      "If you did not ask for this, close this page. Nothing will be sent.",
    ],
    button: "Confirm this address",
  });
}

function confirmed({ address }: Verifiable): Answer {
  return pageAnswer({
    status: 200,
    heading: "The address is confirmed",
    paragraphs: [`Notifications will be sent to ${address}. You can close this page.`],
  });
}

const HEADINGS: Readonly<Partial<Record<NotifyFault["code"], string>>> = {
  TOKEN_USED: "This link was already used",
  TOKEN_EXPIRED: "This link is too old",
  NOT_FOUND: "There is no such link",
};

function refused(failure: Extract<Result<Verifiable, NotifyFault>, { ok: false }>, request: ApiRequest): Answer {
  const { code, message } = failure.fault;
  const accept = request.header("accept");
  if (/\bapplication\/json\b/.test(accept) && !/\btext\/html\b/.test(accept)) {
    return fault(code, message);
  }
  return pageAnswer({
    status: API_FAULTS[code].status,
    heading: HEADINGS[code] ?? "This link does not work",
    paragraphs: [`${message.charAt(0).toUpperCase()}${message.slice(1)}.`],
    code,
  });
}
