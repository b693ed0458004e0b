import { describe, expect, test } from 'vitest';
import type { Pin, PinRules } from './pin.ts';
import { createEntry, type Entry, noteApproved, noteFound, noteSeen } from './pin-entry.ts';
import { whyUnlistedHeld } from './unlisted.ts';

type Mode = PinRules['mode'];

const define = (digest: string) => ({ digest, content: '', text: '{}' });

/** What is known of a name. */
function toEntry(known: { approved?: string; seen?: string; rejected?: string; hold?: string }): Entry {
  const entry = createEntry();
  if (known.approved !== undefined) noteApproved(entry, define(known.approved), true);
  if (known.seen !== undefined) noteSeen(entry, define(known.seen));
  entry.rejected = known.rejected;
  if (known.hold !== undefined && known.seen !== undefined)
    noteFound(entry, { digest: known.seen, version: '1', findings: [], hold: known.hold, risky: true, score: 1 });
  return entry;
}

function isHeld(mode: Mode, entry: Entry | undefined, isFull = false): boolean {
  const lock: PinRules['lock'] = { file: 'f', digest: (_server, _kind, name) => (name === 't' ? 'a' : undefined) };
  const named = { server: 's', kind: 'tools', name: 't', isFull } satisfies Pick<Pin, 'server' | 'kind' | 'name'> & {
    isFull: boolean;
  };
  return whyUnlistedHeld({ mode, lock }, entry, named) !== undefined;
}

describe('a name that its server does not list', () => {
  test.each<[string, Mode, Entry | undefined]>([
    ['never met, where first sight approves', 'laptop', undefined],
    ['never met, without pins', 'off', undefined],
    ['approved when it was listed', 'laptop', toEntry({ approved: 'a', seen: 'a' })],
    ['approved by a person when it was listed', 'team', toEntry({ approved: 'a', seen: 'a' })],
    ['named by the lock file as it was last', 'locked', toEntry({ seen: 'a' })],
    ['changed, without pins', 'off', toEntry({ approved: 'a', seen: 'b' })],
  ])('may be used: %s', (_, mode, entry) => expect(isHeld(mode, entry)).toBe(false));

  test.each<[string, Mode, Entry | undefined, boolean?]>([
    ['never met, where a person approves', 'team', undefined],
    ['never met, where a lock file counts', 'locked', undefined],
    ['changed before it was left out', 'laptop', toEntry({ approved: 'a', seen: 'b' })],
    ['new before it was left out', 'team', toEntry({ seen: 'a' })],
    ['rejected before it was left out', 'laptop', toEntry({ seen: 'a', rejected: 'a' })],
    ['rejected by a person, without pins', 'off', toEntry({ seen: 'a', rejected: 'a' })],
    ['held for what reading it found', 'laptop', toEntry({ seen: 'a', hold: 'it gives orders' })],
    ['held for what reading it found, without pins', 'off', toEntry({ seen: 'a', hold: 'it gives orders' })],
    ['of a server that invents names without end', 'laptop', undefined, true],
  ])('is held: %s', (_, mode, entry, isFull) => expect(isHeld(mode, entry, isFull)).toBe(true));
});
