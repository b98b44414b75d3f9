// The text of an API key: `adsf_`, 43 random base62 characters and a checksum, which tells a typing mistake from a wrong key
// without a look-up. It stores nothing.

import { hash } from "node:crypto";
import { crc32 } from "node:zlib";
import { BASE62, type Random, randomBase62 } from "../store/identifier.ts";

const PREFIX = "adsf_";
// 43 × log2(62) = 256.03 bits.
const RANDOM_LENGTH = 43;
// 62^6 is 13 times 2^32.
const CHECKSUM_LENGTH = 6;
const LENGTH = PREFIX.length + RANDOM_LENGTH + CHECKSUM_LENGTH;
const FORM = /^adsf_[0-9A-Za-z]{49}$/;

/** A new key. */
export function newKeyText(random: Random): string {
  const body = PREFIX + randomBase62(RANDOM_LENGTH, random);
  return body + checksum(body);
}

/** True for a text of a key's form with the right checksum. */
export function isKeyText(text: string): boolean {
  if (text.length !== LENGTH || !FORM.test(text)) return false;
  return checksum(text.slice(0, -CHECKSUM_LENGTH)) === text.slice(-CHECKSUM_LENGTH);
}

/** The SHA-256 of a key in hexadecimal: keys are stored and compared only in this form. */
export function keyDigest(text: string): string {
  return hash("sha256", text, "hex");
}

/** CRC-32 in base62: it detects every single wrong character and every swap of two neighbours. */
function checksum(body: string): string {
  let rest = crc32(body);
  let text = "";
  for (let i = 0; i < CHECKSUM_LENGTH; i++) {
    text = BASE62.charAt(rest % 62) + text;
    rest = Math.floor(rest / 62);
  }
  return text;
}
