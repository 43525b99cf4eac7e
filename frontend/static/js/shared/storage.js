/** Access to the browser's storage. */

/** @template T @param {() => T} use @returns {T|null} null if the storage is full or blocked, or its text unreadable */
export function tryStorage(use) {
  try {
    return use();
  } catch {
    return null;
  }
}
