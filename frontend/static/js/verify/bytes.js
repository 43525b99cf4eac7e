/** Bytes, hexadecimal digits and SHA-256: the only browser features that the checks need. */

/** @param {string} hex an even number of digits */
export const fromHex = (hex) =>
  Uint8Array.from({ length: hex.length / 2 }, (_, k) => parseInt(hex.slice(2 * k, 2 * k + 2), 16));

/** @param {Uint8Array} bytes */
export const toHex = (bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");

/** @param {string} text */
export const utf8 = (text) => new TextEncoder().encode(text);

/** @param {Uint8Array<ArrayBuffer>} bytes */
export const sha256 = async (bytes) => new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));

/** @param {unknown} value @returns {value is string} whether it is 32 bytes as lower-case hexadecimal digits */
export const isHash = (value) => typeof value === "string" && /^[0-9a-f]{64}$/.test(value);

/** True if the browser can compute hashes: only in secure contexts, that is, https or this machine. */
export const canHash = () => globalThis.crypto?.subtle !== undefined;
