// Reads hosts(5) and the search list of resolv.conf(5) from text. It opens no file.

import { isIP } from "node:net";

// glibc's limit for decades; a longer list only costs questions.
const SEARCH_MAX = 6;
// RFC 6761 §6.3: never asked of a name server.
const LOCALHOST = /^(?:.+\.)?localhost$/;
const LOOPBACK: readonly string[] = ["127.0.0.1", "::1"];

/** The addresses that a hosts file has for a host, and those of `localhost` when it has none. */
export function hostsAddresses(text: string, host: string): readonly string[] {
  const wanted = host.toLowerCase().replace(/\.$/, "");
  const found = words(text)
    .filter(([address = "", ...names]) => isIP(address) !== 0 && names.some((name) => name.toLowerCase() === wanted))
    .map(([address]) => address as string);
  if (found.length > 0) return [...new Set(found)];
  return LOCALHOST.test(wanted) ? LOOPBACK : [];
}

/** The domains in which a name is tried; the last line that names them counts. */
export function searchList(text: string): readonly string[] {
  const lines = words(text).filter(([key]) => key === "search" || key === "domain");
  const domains = (lines.at(-1) ?? []).slice(1).map((domain) => domain.replace(/\.$/, ""));
  return domains.filter((domain) => domain !== "").slice(0, SEARCH_MAX);
}

function words(text: string): string[][] {
  return text.split(/\r?\n/).map((line) =>
    line
      .replace(/[#;].*$/, "")
      .split(/[ \t]+/)
      .filter((word) => word !== ""),
  );
}
