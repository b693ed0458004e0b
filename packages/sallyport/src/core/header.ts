const NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
// A line break would end the line and begin another header, or another request.
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

/** A token of RFC 9110 section 5.6.2. */
export function isHeaderName(name: string): boolean {
  return NAME.test(name);
}

/** Tab, visible ASCII and what servers take as Latin-1 (RFC 9110 section 5.5). */
export function isHeaderValue(value: string): boolean {
  return VALUE.test(value);
}

/** Whether a header of this name and value can be sent. */
export function isHeader(name: string, value: string): boolean {
  return isHeaderName(name) && isHeaderValue(value);
}
