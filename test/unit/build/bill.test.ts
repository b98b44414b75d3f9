import { expect, it } from "vitest";
import { describeNode, formatBill } from "../../../src/build/bill.ts";

it("the bill of materials lists Node and its parts, and no numbers of interfaces", () => {
  const components = describeNode({ node: "22.21.1", openssl: "3.0.17", napi: "10", modules: "127", tz: "2025b" });
  expect(components).toMatchObject([
    { name: "node", purl: "pkg:generic/node@22.21.1", cpe: "cpe:2.3:a:nodejs:node.js:22.21.1:*:*:*:*:*:*:*" },
    { name: "openssl", cpe: "cpe:2.3:a:openssl:openssl:3.0.17:*:*:*:*:*:*:*" },
    { name: "tz", version: "2025b", licenses: [{ license: { name: expect.stringContaining("copyright") } }] },
  ]);
});

it("the bill of materials has addrsift as its subject, which depends on each component", () => {
  const [node] = describeNode({ node: "22.21.1" });
  const bill = JSON.parse(formatBill("1.2.3", [node as NonNullable<typeof node>], "2027-01-02T00:00:00Z"));
  expect(bill.metadata).toMatchObject({ timestamp: "2027-01-02T00:00:00Z", component: { version: "1.2.3" } });
  expect(bill.dependencies).toEqual([{ ref: "pkg:npm/addrsift@1.2.3", dependsOn: ["pkg:generic/node@22.21.1"] }]);
});
