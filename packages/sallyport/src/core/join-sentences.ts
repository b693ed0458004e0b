/** A full stop of any script, with quotes or brackets after it. */
const END = /[.!?…。！？]["'”’»)\]]*$/u;

/** One text of several that people wrote: what ends without a full stop gets one before the next begins. */
export function joinSentences(texts: readonly string[]): string {
  return texts
    .map((text, at) => {
      const trimmed = text.trimEnd();
      return at === texts.length - 1 || END.test(trimmed) ? trimmed : `${trimmed}.`;
    })
    .join(' ');
}
