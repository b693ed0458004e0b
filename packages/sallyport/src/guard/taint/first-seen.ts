import { findNumbers, findWords } from './find-words.ts';
import type { Printer } from './fingerprints.ts';
import { findHeld } from './judge-call.ts';
import { CLEAN, UNTRUSTED } from './labels.ts';
import { fold } from './normalise.ts';
import { isUnknown } from './opaque.ts';
import { PrintList } from './print-list.ts';
import { type AskedCall, MAX_KEPT_TEXT } from './read-call.ts';
import type { Recall, Remembered } from './taint-ports.ts';
import { toTypedRows } from './typed-words.ts';

/**
 * What the client gives before any result of the run did is its own or its user's. From the moment on that untrusted text was
 * read, whatever it gives may be that text's doing, so nothing more is kept.
 * @param own an empty list, for the prints that are kept
 */
export function readFirstSeen(
  { prints, leaves }: AskedCall,
  own: PrintList,
  known: Recall | undefined,
): Remembered | undefined {
  if (known !== undefined && ((known.marks & UNTRUSTED) !== 0 || known.isFull)) return undefined;
  const keep = (index: number): void => {
    if (index >= 0 && known?.has(index) !== true) own.add(prints.high[index] ?? 0, prints.low[index] ?? 0);
  };
  for (const asked of leaves) {
    const { leaf, whole, words, grams, host, forms } = asked;
    if (leaf.text.length > MAX_KEPT_TEXT) continue;
    // A value that a result gave is not its user's, and neither is what is put together from it: a text that was stopped
    // for the private data in it would else be free the second time.
    if (whole >= 0 && known?.has(whole) === true) continue;
    if (known !== undefined && (findHeld(asked, 'internal', known) !== undefined || isUnknown(asked.opaque, known)))
      continue;
    keep(whole);
    keep(host);
    if (forms[0] < forms[1]) keep(forms[0]);
    for (let i = words[0]; i < grams[1]; i++) keep(i);
  }
  return own.size === 0 ? undefined : { marks: CLEAN, prints: own };
}

/** The request of a user, as values are compared with it later in the run. */
export function readUser(user: string, printer: Printer): Remembered {
  const prints = new PrintList(1_024);
  printer.add('typed', `\n${user}`, prints);
  for (const row of toTypedRows(user)) printer.add('typed', row, prints);
  printer.addGrams(fold(user), prints, true);
  findWords(user, ({ text }) => printer.add('value', text, prints));
  findNumbers(user, (number) => printer.add('value', number, prints));
  return { marks: CLEAN, prints };
}
