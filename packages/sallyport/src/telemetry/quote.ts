/** Strangers choose these strings: one call must not write a megabyte of log. */
const MAX_TEXT = 256;
const PLAIN = /^[\x20\x21\x23-\x5b\x5d-\x7e]*$/;
/** Beside what JSON escapes: C1 controls and direction marks, which act on a terminal that shows the log. */
const UNSHOWN = /[\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g;

/** A stranger's text as a JSON string: short, and nothing in it acts on a terminal. */
export function quote(text: string): string {
  const short = text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text;
  if (PLAIN.test(short)) return `"${short}"`;
  return JSON.stringify(short).replace(UNSHOWN, (mark) => `\\u${mark.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
