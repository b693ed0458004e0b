/** Percent signs undone. `undefined`: some of them stand for nothing that is UTF-8. */
export function decodePercent(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
