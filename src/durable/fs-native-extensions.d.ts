declare module "fs-native-extensions" {
  /** Locks the whole file exclusively for this descriptor. Returns false if another descriptor holds the lock. */
  export function tryLock(descriptor: number): boolean;
}
