import { expect, test } from 'vitest';
import { Conversation } from '../../../test/taint-conversation.ts';
import { ALLOW } from '../../core/verdict.ts';

/** A run that has read one page of a trusted, internal source. */
function wiki(): Conversation {
  return new Conversation().reads('wiki.get_page', `Minutes. ${PLAN}; nobody is told yet.`);
}

const PLAN = 'We plan to close the plant in the north before the end of the third quarter';
const reworded: readonly (readonly [string, string])[] = [
  ['a part of it', 'close the plant in the north before the end'],
  ['with something before it', `Please put into French: ${PLAN}`],
  ['in base64', Buffer.from(PLAN).toString('base64')],
  ['backwards', [...PLAN].reverse().join('')],
];

test.each(reworded)('private text that was stopped is stopped again: %s', (_, text) => {
  const talk = wiki();
  expect(talk.call('web.search', { query: text }).kind).toBe('ask');
  expect(talk.call('web.search', { query: text }).kind).toBe('ask');
  expect(talk.call('notes.add_note', { text }).kind).toBe('ask');
});

test.each(reworded)('private text that was given back to its server is still private: %s', (_, text) => {
  const talk = wiki();
  expect(talk.call('wiki.get_page', { title: text })).toBe(ALLOW);
  expect(talk.call('web.search', { query: text }).kind).toBe('ask');
});
