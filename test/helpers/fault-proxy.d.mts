/** A proxy that fails when the test says so. */
export interface FaultProxy {
  readonly port: number;
  /** Ends all connections with a reset. */
  readonly drop: () => void;
  /** All connections that there are stay silent. New ones are passed on. */
  readonly freeze: () => void;
  /** From now on it passes all on, refuses connections and ends those there are, or is silent. */
  readonly set: (mode: "pass" | "refuse" | "stall") => void;
  readonly close: () => Promise<void>;
}

/** Starts one before the server at a port of loopback. */
export declare function startFaultProxy(port: number): Promise<FaultProxy>;
