// Live DNS for bulk input, as a file of its own: loaded when it is asked for.

export { createDnsResolver } from "../../dns/create.ts";
