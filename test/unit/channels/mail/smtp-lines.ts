// An SMTP server that records lines, for addresses that smtp-server can't parse and for lost connections.

import { createServer } from "node:net";
import { createInterface } from "node:readline";
import { listenOnFreePort } from "../../../helpers/listening.ts";

/** Starts a server that records every line. After a message, it accepts it or closes the connection. */
export async function startLineRecorder({ closesAfterMessage = false } = {}) {
  const lines: string[] = [];
  const server = createServer((socket) => {
    socket.on("error", () => {});
    socket.write("220 recorder\r\n");
    createInterface(socket).on("line", (line) => {
      lines.push(line);
      if (line === "DATA") socket.write("354 go on\r\n");
      else if (line === "." && closesAfterMessage) socket.destroy();
      else if (line === "." || /^(EHLO|MAIL|RCPT|RSET|QUIT)/.test(line)) socket.write("250 fine\r\n");
    });
  });
  return { url: `smtp://127.0.0.1:${await listenOnFreePort(server)}`, lines, close: () => server.close() };
}
