/** RFC 9110 field values as 2026-07-28 narrows them: visible ASCII, spaces and tabs only inside. */
const PLAIN = /^(?:[\x21-\x7e](?:[\x20-\x7e\t]*[\x21-\x7e])?)?$/;
const SENTINEL = /^=\?base64\?.*\?=$/s;

/** A value for `Mcp-Name` or `Mcp-Param-*` (2026-07-28, "Value Encoding"): as it is, or Base64 between `=?base64?` and `?=`. */
export function toHeaderValue(value: string): string {
  if (PLAIN.test(value) && !SENTINEL.test(value)) return value;
  return `=?base64?${Buffer.from(value, 'utf8').toString('base64')}?=`;
}
