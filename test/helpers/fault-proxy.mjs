// A TCP proxy between a process and a server that simulates network failures.

import { connect, createServer } from "node:net";

/** Starts the proxy on a free port of loopback. It connects to the server at `port`. */
export async function startFaultProxy(port) {
  const pairs = new Set();
  const frozen = [];
  let mode = "pass";
  const drop = () => {
    for (const pair of pairs) for (const socket of pair) socket.resetAndDestroy();
  };
  const server = createServer((incoming) => {
    if (mode === "refuse") {
      incoming.resetAndDestroy();
      return;
    }
    const outgoing = connect(port, "127.0.0.1");
    const pair = [incoming, outgoing];
    pairs.add(pair);
    for (const [socket, other] of [pair, pair.toReversed()]) {
      // A reset is one of the simulated failures.
      socket.on("error", () => {});
      socket.on("data", (bytes) => other.write(bytes));
      socket.on("close", () => {
        pairs.delete(pair);
        other.destroy();
      });
      if (mode === "stall") socket.pause();
    }
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    port: server.address().port,
    /** Resets all connections. */
    drop,
    /** Makes all existing connections silent. New ones are forwarded. */
    freeze: () => {
      for (const pair of pairs) for (const socket of pair) socket.pause();
      frozen.push(...pairs);
      pairs.clear();
    },
    /** Sets the mode: "pass" forwards everything, "refuse" resets all connections, "stall" stays silent. */
    set: (next) => {
      mode = next;
      if (mode === "refuse") drop();
      for (const pair of pairs) for (const socket of pair) mode === "stall" ? socket.pause() : socket.resume();
    },
    close: async () => {
      const closed = new Promise((resolve) => server.close(resolve));
      drop();
      // A paused socket with unread bytes does not notice that its peer has closed.
      for (const [incoming] of frozen) incoming.destroy();
      await closed;
    },
  };
}
