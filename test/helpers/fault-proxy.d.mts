/** A proxy that simulates network failures. */
export interface FaultProxy {
  readonly port: number;
  /** Resets all connections. */
  readonly drop: () => void;
  /** Makes all existing connections silent. New ones are forwarded. */
  readonly freeze: () => void;
  /** Sets the mode: forward everything, reset all connections, or stay silent. */
  readonly set: (mode: "pass" | "refuse" | "stall") => void;
  readonly close: () => Promise<void>;
}

/** Starts a proxy to a port of loopback. */
export declare function startFaultProxy(port: number): Promise<FaultProxy>;
