declare module "fs-native-extensions" {
  /** Locks the whole open file for writing, only for this descriptor; false when another descriptor holds the lock. */
  export function tryLock(descriptor: number): boolean;
}
