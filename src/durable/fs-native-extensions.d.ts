// What is used of the package fs-native-extensions, which comes without types.

declare module "fs-native-extensions" {
  /** Locks the whole open file for writing, for this descriptor alone; false when another descriptor holds it. */
  export function tryLock(descriptor: number): boolean;
}
