// Tests concurrent detections: a request that waits for DNS never gets the bytes of the next one.

import { describe, expect, it } from "vitest";
import { Detector } from "../../../../../src/detection/detector.ts";
import type { MailResolver } from "../../../../../src/detection/routing.ts";
import type { Answer } from "../../../../../src/server/http/answer.ts";
import type { ApiRequest } from "../../../../../src/server/http/route.ts";
import { DetectionAnswers } from "../../../../../src/server/routes/detect/rendering.ts";
import { DETECT_ROUTES, type DetectDeps } from "../../../../../src/server/routes/detect/routes.ts";
import { lists } from "../../../../helpers/classify.ts";

const slow: MailResolver = {
  route: async (name) => {
    await new Promise((resolve) => setTimeout(resolve, 5));
    return { status: "ok", exchanges: [{ preference: 1, exchange: `mx.${name}` }] };
  },
};

const parts = {
  answers: () => addresses,
  domainAnswers: () => domains,
} as unknown as DetectDeps;
const addresses = new DetectionAnswers(new Detector({ lists }, slow), () => {});
const domains = new DetectionAnswers(new Detector({ lists, subject: "domain" }, slow), () => {}, "domain");

describe.each([
  ["detectAddress", "email", (name: string) => ({ query: `email=a@${name}`, params: [] })],
  ["detectDomain", "domain", (name: string) => ({ query: "", params: [name] })],
])("%s", (id, field, request) => {
  it("concurrent requests get the result for their own name", async () => {
    const handle = DETECT_ROUTES.find((route) => route.id === id)?.handler(parts);
    if (handle === undefined) throw new Error(`no route ${id}`);
    const names = ["one-harbour.com", "gmail.com", "another-harbour.org", "x.net", "mailinator.com"];
    const given = names.map((name) => handle({ ...request(name), signal: undefined } as unknown as ApiRequest));
    const answers = (await Promise.all(given)) as Answer[];
    const found = answers.map(({ body }) => (JSON.parse(body as string) as { data: Record<string, string> }).data);
    expect(found.map((data) => data[field]?.replace("a@", ""))).toEqual(names);
    const sources = ["live_dns", "precomputed", "live_dns", "live_dns", "precomputed"];
    expect(found.map(({ detection_source: source }) => source)).toEqual(sources);
  });
});
