import { toFault } from '../core/errors.ts';
import type { Note } from '../core/note.ts';

/**
 * A change that an administrator makes: its record is kept first, and a second one tells when it then failed. No record,
 * no change.
 * @param kind what is done, e.g. `key_create`
 * @param members who (`by`), to what; never secrets
 * @throws FaultError `unrecorded`; whatever `work` throws.
 */
export async function recorded<T>(
  note: Note,
  { kind, ...members }: { readonly kind: string } & Readonly<Record<string, string | number | boolean>>,
  work: () => Promise<T>,
): Promise<T> {
  await note(kind, members);
  try {
    return await work();
  } catch (error) {
    await note(`${kind}_failed`, { ...members, reason: toFault(error).code });
    throw error;
  }
}
