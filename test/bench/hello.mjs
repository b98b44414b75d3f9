// The bare server that the daemon is measured against: node:http with a constant answer. Prints its port.

import { createServer } from "node:http";

const server = createServer((_request, response) => {
  // With its length: without it, Node sends chunks, which costs more.
  response.writeHead(200, { "Content-Type": "text/plain", "Content-Length": 6 });
  response.end("hello\n");
});
server.listen(Number(process.argv[2] ?? 0), "127.0.0.1", () => console.error(`"port":${server.address().port}`));
