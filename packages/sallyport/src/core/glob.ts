/**
 * Does the whole text fit the pattern? `*` is any run of characters, `?` one; everything else is itself, case included.
 * Linear in both lengths but for one step back per star: patterns meet names that strangers chose, so no RegExp.
 */
export function matchesGlob(pattern: string, text: string): boolean {
  let p = 0;
  let t = 0;
  let star = -1;
  let resume = 0;
  while (t < text.length) {
    const wanted = pattern[p];
    if (wanted === '*') {
      star = p++;
      resume = t;
    } else if (wanted === '?' || (wanted !== undefined && wanted === text[t])) {
      p++;
      t++;
    } else if (star >= 0) {
      p = star + 1;
      t = ++resume;
    } else return false;
  }
  while (pattern[p] === '*') p++;
  return p === pattern.length;
}

/** Whether a pattern names more than one text. */
export function isGlob(pattern: string): boolean {
  return pattern.includes('*') || pattern.includes('?');
}
