import { type Sighting, toItemName } from '../catalog/pins/pin.ts';
import type { PinBook } from '../catalog/pins/pin-book.ts';
import type { Log } from '../core/log.ts';
import type { Note } from '../core/note.ts';

/** Rules named in one record. */
const MAX_RULES = 20;

/** Puts into the record what is held for what reading it found. It stays held whether that can be written or not. */
export function noteHeld(book: Pick<PinBook, 'onHeld'>, note: Note, log: Log): () => void {
  const tell = async ({ server, kind, name, definition, found }: Sighting): Promise<void> => {
    const rules = [...new Set(found?.findings.map(({ id }) => id) ?? [])].slice(0, MAX_RULES).join(', ');
    const related = found?.related?.[0];
    await note('pin_held', {
      server,
      item: toItemName(kind, name),
      digest: definition.digest,
      rules,
      ...(related === undefined ? {} : { beside: `${related.server}/${related.name}` }),
    });
  };
  return book.onHeld((held) => {
    for (const one of held)
      tell(one).catch((error: unknown) => log.error({ error }, 'what is held could not be recorded'));
  });
}
