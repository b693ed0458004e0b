/** 32 bytes in hex. `Buffer.from` would make a shorter key of what is cut off, and none at all of what is no hex. */
export function isHexKey(text: string): boolean {
  return /^[0-9a-f]{64}$/i.test(text);
}
