// The request headers that every route needs, read from the raw list in one pass. The raw list shows repeated headers, which
// Node's own object hides.

/** The headers of one request that the checks need. */
export class RequestHeaders {
  /** Empty when there is none. */
  host = "";
  authorization: string | undefined = undefined;
  contentType: string | undefined = undefined;
  contentEncoding: string | undefined = undefined;
  /** The origin of the page that asks, where a browser sends one. */
  origin: string | undefined = undefined;
  requestId: string | undefined = undefined;
  /** What a browser says of the page that asks: `same-origin`, `same-site`, `cross-site` or `none`. */
  fetchSite: string | undefined = undefined;
  /** All X-Forwarded-For headers as one list. */
  forwardedFor: string | undefined = undefined;
  /** A header is there that only proxies send. */
  viaProxy = false;
  /** One of these headers is repeated, so two readers could use different values. */
  hostRepeated = false;
  authorizationRepeated = false;
  contentTypeRepeated = false;
  private hosts = 0;

  /** Reads the raw list, where names and values alternate. */
  read(raw: readonly string[]): void {
    this.host = "";
    this.authorization = undefined;
    this.contentType = undefined;
    this.contentEncoding = undefined;
    this.origin = undefined;
    this.requestId = undefined;
    this.fetchSite = undefined;
    this.forwardedFor = undefined;
    this.viaProxy = false;
    this.hostRepeated = false;
    this.authorizationRepeated = false;
    this.contentTypeRepeated = false;
    this.hosts = 0;
    for (let i = 0; i + 1 < raw.length; i += 2) {
      const name = raw[i] as string;
      // Names of other lengths are none of these: most headers cost one comparison.
      if (NAMED_LENGTHS[name.length] === true) this.take(name.toLowerCase(), raw[i + 1] as string);
    }
  }

  private take(name: string, value: string): void {
    switch (name) {
      case "host":
        this.host = value;
        this.hostRepeated = this.hosts++ > 0;
        break;
      case "authorization":
        this.authorizationRepeated = this.authorization !== undefined;
        this.authorization = value;
        break;
      case "content-type":
        this.contentTypeRepeated = this.contentType !== undefined;
        this.contentType = value;
        break;
      case "content-encoding":
        this.contentEncoding = value;
        break;
      case "origin":
        this.origin = value;
        break;
      case "x-request-id":
        this.requestId = value;
        break;
      case "sec-fetch-site":
        this.fetchSite = value;
        break;
      case "x-forwarded-for":
        this.forwardedFor = this.forwardedFor === undefined ? value : `${this.forwardedFor},${value}`;
        this.viaProxy = true;
        break;
      case "forwarded":
      case "via":
      case "x-forwarded-host":
      case "x-forwarded-proto":
        this.viaProxy = true;
        break;
    }
  }
}

const NAMED_LENGTHS: readonly boolean[] = Array.from({ length: 18 }, (_, length) =>
  // via; host; origin; forwarded; content-type and x-request-id; authorization; sec-fetch-site; x-forwarded-for; content-encoding and
  // x-forwarded-host; x-forwarded-proto.
  [3, 4, 6, 9, 12, 13, 14, 15, 16, 17].includes(length),
);
