// Output that is kept while it is short, so that an answer can begin with what is known at its end; and then flows on to another sink.

import type { ByteSink } from "../../../bulk/ports.ts";

/** The most octets that are kept. */
const KEPT_OCTETS = 1024 * 1024;

/** A sink whose writer waits once there is too much. */
export class CollectedOutput implements ByteSink {
  private fill: () => void = () => {};
  private begin: (flowed: Promise<void>) => void = () => {};
  /** Fulfilled when the writer waits for `flow`. */
  readonly full: Promise<undefined> = new Promise((resolve) => {
    this.fill = () => resolve(undefined);
  });
  private readonly flowing = new Promise<void>((resolve) => {
    this.begin = resolve;
  });
  private readonly pieces: Uint8Array[] = [];
  private length = 0;
  private sink: ByteSink | undefined;

  /** What is kept. */
  get octets(): Uint8Array {
    return Buffer.concat(this.pieces);
  }

  async write(octets: Uint8Array): Promise<void> {
    if (this.sink !== undefined) return this.sink.write(octets);
    this.pieces.push(octets.slice());
    this.length += octets.length;
    if (this.length <= KEPT_OCTETS) return undefined;
    this.fill();
    return this.flowing;
  }

  /** Gives what was kept to another sink, and then all that follows. A failure of that sink is the writer's too. */
  flow(sink: ByteSink): Promise<void> {
    const flowed = this.flowTo(sink);
    this.begin(flowed);
    return flowed;
  }

  private async flowTo(sink: ByteSink): Promise<void> {
    for (const piece of this.pieces.splice(0)) await sink.write(piece);
    this.sink = sink;
  }
}
