// Live DNS as a file of its own, loaded when a domain must be asked for: most calls have none.

export { createDnsResolver } from "../dns/resolver.ts";
