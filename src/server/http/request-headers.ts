// The request headers that every route needs, read from the raw list in one pass. The raw list shows repeated headers, which
// Node's own object hides.

/** The headers of one request that the checks need. */
export class RequestHeaders {
  /** Empty when there is none. */
  host = "";
  authorization: string | undefined = undefined;
  contentType: string | undefined = undefined;
  contentEncoding: string | undefined = undefined;
  /** One of these headers is repeated, so two readers could use different values. */
  hostRepeated = false;
  authorizationRepeated = false;
  contentTypeRepeated = false;

  /** Reads the raw list, where names and values alternate. */
  read(raw: readonly string[]): void {
    this.host = "";
    this.authorization = undefined;
    this.contentType = undefined;
    this.contentEncoding = undefined;
    this.hostRepeated = false;
    this.authorizationRepeated = false;
    this.contentTypeRepeated = false;
    let hosts = 0;
    for (let i = 0; i + 1 < raw.length; i += 2) {
      const name = raw[i] as string;
      // Names of other lengths are none of these.
      if (name.length === 4) {
        if (name.toLowerCase() !== "host") continue;
        this.host = raw[i + 1] as string;
        this.hostRepeated = hosts++ > 0;
      } else if (name.length === 13) {
        if (name.toLowerCase() !== "authorization") continue;
        this.authorizationRepeated = this.authorization !== undefined;
        this.authorization = raw[i + 1] as string;
      } else if (name.length === 12) {
        if (name.toLowerCase() !== "content-type") continue;
        this.contentTypeRepeated = this.contentType !== undefined;
        this.contentType = raw[i + 1] as string;
      } else if (name.length === 16 && name.toLowerCase() === "content-encoding") {
        this.contentEncoding = raw[i + 1] as string;
      }
    }
  }
}
