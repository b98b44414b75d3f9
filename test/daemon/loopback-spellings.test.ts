// A daemon on loopback asks for its own Host however --host spells the address, and from the first request on.

import { afterEach, describe, expect, it } from "vitest";
import { type Daemon, sendRaw, startDaemon } from "../helpers/daemon.ts";

let daemon: Daemon | undefined;
afterEach(async () => {
  await daemon?.stop();
  daemon = undefined;
});

const request = (target: string, head: string): string =>
  `GET ${target} HTTP/1.${head === "" ? "0" : "1"}\r\n${head}\r\n`;
const statusOf = async (port: number, text: string): Promise<string | undefined> =>
  (await sendRaw(port, [text])).split(" ")[1];

describe("a Host of others is 421", () => {
  it.each(["127.1", "0x7f000001", "2130706433", "::ffff:127.0.0.1"])(
    "a Host of others is 421 with --host %s",
    async (host) => {
      const started = await startDaemon(["--host", host, "--dns", "off"]).catch((e: Error) => e);
      // A machine without IPv6 says so.
      if (started instanceof Error) return expect(started.message).toContain("no such address");
      daemon = started;
      const asked = (name: string): Promise<string | undefined> =>
        statusOf(started.port, request("/metrics", `Host: ${name}\r\nConnection: close\r\n`));
      expect(await asked("rebound.example.com")).toBe("421");
      expect(await asked("localhost")).toBe("200");
    },
  );

  it("and so is an empty one in the target, as the first request", async () => {
    daemon = await startDaemon(["--dns", "off"]);
    const text = request("http:///metrics", "Host: localhost\r\nConnection: close\r\n");
    expect(await statusOf(daemon.port, text)).toBe("421");
  });
});
