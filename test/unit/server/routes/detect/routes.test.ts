// Tests concurrent detections: a request that waits for DNS never gets the bytes of the next one.

import { describe, expect, it } from "vitest";
import { Detector } from "../../../../../src/detection/detector.ts";
import type { MailResolver } from "../../../../../src/detection/routing.ts";
import type { ApiResponse } from "../../../../../src/server/http/response.ts";
import type { ApiRequest } from "../../../../../src/server/http/route.ts";
import { DetectionRenderer } from "../../../../../src/server/routes/detect/rendering.ts";
import { DETECT_ROUTES, type DetectDeps } from "../../../../../src/server/routes/detect/routes.ts";
import { lists } from "../../../../helpers/classify.ts";

const slowResolver: MailResolver = {
  route: async (name) => {
    await new Promise((resolve) => setTimeout(resolve, 5));
    return { status: "ok", exchanges: [{ preference: 1, exchange: `mx.${name}` }] };
  },
};

const deps = { addressRenderer: () => addresses, domainRenderer: () => domains } as unknown as DetectDeps;
const addresses = new DetectionRenderer(new Detector({ lists }, slowResolver), () => {});
const domains = new DetectionRenderer(new Detector({ lists, subject: "domain" }, slowResolver), () => {}, "domain");

describe.each([
  ["detectAddress", "email", (name: string) => ({ query: `email=a@${name}`, params: [] })],
  ["detectDomain", "domain", (name: string) => ({ query: "", params: [name] })],
])("%s", (id, field, request) => {
  it(`concurrent requests to ${id} each get the result for their own name`, async () => {
    const handle = DETECT_ROUTES.find((route) => route.id === id)?.handler(deps);
    if (handle === undefined) throw new Error(`no route ${id}`);
    const names = ["one-harbour.com", "gmail.com", "another-harbour.org", "x.net", "mailinator.com"];
    const pending = names.map((name) => handle({ ...request(name), signal: undefined } as unknown as ApiRequest));
    const responses = (await Promise.all(pending)) as ApiResponse[];
    const results = responses.map(({ body }) => (JSON.parse(body as string) as { data: Record<string, string> }).data);
    expect(results.map((data) => data[field]?.replace("a@", ""))).toEqual(names);
    const sources = ["live_dns", "precomputed", "live_dns", "live_dns", "precomputed"];
    expect(results.map(({ detection_source: source }) => source)).toEqual(sources);
  });
});
