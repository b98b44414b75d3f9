// Live DNS for bulk input, as a file of its own that is loaded only when DNS is asked.

export { createDnsResolver } from "../../dns/create.ts";
