// Limits on how often something may happen: a token bucket for each key, a count of failures for each address. Memory is bounded;
// the caller gives the clock.

/** Milliseconds of a clock that never goes back. */
export type Clock = () => number;

// Above this, an entry is dropped: it starts with a full bucket or no failures again.
const ENTRIES_MAX = 10_000;

/** Allows each name `perSecond` requests a second, and as many at once. */
export class TokenBuckets {
  private readonly burst: number;
  private readonly buckets: Map<string, { tokens: number; at: number }> = new Map();

  constructor(
    private readonly perSecond: number,
    private readonly now: Clock,
  ) {
    this.burst = Math.max(1, perSecond);
  }

  /** Takes a token; gives 0, or the seconds until there is one. */
  take(name: string): number {
    const now = this.now();
    const bucket = this.buckets.get(name) ?? { tokens: this.burst, at: now };
    use(this.buckets, name, bucket);
    bucket.tokens = Math.min(this.burst, bucket.tokens + ((now - bucket.at) * this.perSecond) / 1000);
    bucket.at = now;
    if (bucket.tokens < 1) return Math.ceil((1 - bucket.tokens) / this.perSecond);
    bucket.tokens -= 1;
    return 0;
  }
}

/** Counts failures of each name in a window of one minute. */
export class FailureLimit {
  private readonly windows: Map<string, { count: number; since: number }> = new Map();

  constructor(
    private readonly limit: number,
    private readonly now: Clock,
  ) {}

  /** Counts one failure; gives 0 within the limit, or the seconds until the window ends. */
  count(name: string): number {
    const now = this.now();
    let window = this.windows.get(name);
    if (window === undefined || now - window.since >= 60_000) window = { count: 0, since: now };
    use(this.windows, name, window);
    window.count += 1;
    return window.count <= this.limit ? 0 : Math.max(1, Math.ceil((60_000 - (now - window.since)) / 1000));
  }
}

/** Makes an entry the last one that was used; where there are too many, the one that was not used for longest goes. */
function use<Entry>(entries: Map<string, Entry>, name: string, entry: Entry): void {
  if (!entries.delete(name) && entries.size >= ENTRIES_MAX) {
    const [unused] = entries.keys();
    entries.delete(unused as string);
  }
  entries.set(name, entry);
}

/** What counts as one address: an IPv4 address, or the /64 of an IPv6 one, which one host owns. */
export function addressGroup(address: string): string {
  if (address.startsWith("::ffff:") && address.includes(".")) return address.slice(7);
  if (!address.includes(":")) return address;
  const [head = "", tail] = (address.split("%")[0] as string).split("::");
  const front = head === "" ? [] : head.split(":");
  const back = tail === undefined || tail === "" ? [] : tail.split(":");
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - front.length - back.length);
  return [...front, ...Array<string>(zeros).fill("0"), ...back].slice(0, 4).join(":");
}
