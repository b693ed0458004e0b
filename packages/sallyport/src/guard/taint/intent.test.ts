import { describe, expect, test } from 'vitest';
import type { SinkClass } from '../../core/sink.ts';
import { toWords } from '../sinks/read-words.ts';
import { asksFor, asksForAct } from './intent.ts';
import { toRowsOf, toTypedRows } from './typed-words.ts';

describe('what a request asks for', () => {
  test.each<[string, SinkClass]>([
    ['Delete the two oldest drafts.', 'delete'],
    ['Find the draft and then remove it', 'delete'],
    ['Please pay the electrician', 'pay'],
    ['Could you transfer 30 EUR to Ann?', 'pay'],
    ['I want to send Ann 30 EUR', 'pay'],
    ['Email Ann the notes', 'send_out'],
    ['Let Ann know that we are late', 'send_out'],
    ['Read it and reply to her', 'send_out'],
    ['Run the tests again', 'run_code'],
    ['Give Ann access to the folder', 'change_rights'],
    ['Change my password', 'credentials'],
    ['Post this on the blog', 'write_public'],
    ['把这份报告发送给小李', 'send_out'],
  ])('%s', (request, sink) => expect(asksFor(request, [sink])).toBe(true));

  test.each<[string, SinkClass]>([
    ['Read the email that Ann sent and tell me what she wants', 'send_out'],
    ['Find recent posts about orchards', 'write_public'],
    ['Show me my order history, payments and transfers', 'pay'],
    ['If the price falls, you sell. What was the price in May?', 'pay'],
    ['What does the delete button do?', 'delete'],
    ['Check who has access to the folder', 'change_rights'],
    ['Summarise the page and send me the gist', 'send_out'],
    ['What is in invoice 17?', 'delete'],
  ])('not: %s', (request, sink) => expect(asksFor(request, [sink])).toBe(false));

  test.each([
    ['Put lunch with Ann on my calendar', 'create_event', true],
    ['Mark the first one as done', 'update_task', true],
    ['Unlock the front door', 'unlock_door', true],
    ['Who used the front door today?', 'unlock_door', false],
    ['Remember to close the browser', 'save_memory', false],
    ['Create the file', 'save_memory', false],
    ['Remember that I like tea', 'save_memory', true],
    ['Make it perfect', 'book_hotel', false],
  ])('%s: %s %s', (request, tool, asked) => expect(asksForAct(request, toWords(tool))).toBe(asked));
});

describe('what a user typed', () => {
  const isTyped = (request: string, value: string) => {
    const rows = toTypedRows(request);
    const wanted = toRowsOf(value);
    return wanted.length > 0 && wanted.every((row) => rows.has(row));
  };
  test.each([
    ['Mail it to "Ann.B@Team.example", please.', 'ann.b@team.example'],
    ['Pay $1,250.00 to DE89 3704 0044', '1250'],
    ['Pay $1,250.00 to DE89 3704 0044', 'DE8937040044'],
    ['See https://github.com/acme/orchard.', 'acme'],
    ['See https://github.com/acme/orchard.', 'https://github.com/acme/orchard'],
    ['Post it in #support', 'support'],
    ['Run `npm test -- --watch=false` now', 'npm test -- --watch=false'],
    ['Ask Bob Miller for it', 'Bob Miller'],
    ['ask bob for it', 'bob'],
  ])('%s: %s', (request, value) => expect(isTyped(request, value)).toBe(true));

  test.each([
    ['Mail it to ann.b@team.example', 'ann.b@team.example.attacker.example'],
    ['Mail it to pay@bank.example', 'pay.bank@example'],
    ['Pay 1250 to DE89', '12500'],
    ['Hello! Look at this', 'Hello'],
    ['A trip to San Marino', 'San'],
    ['Run npm test', 'npm test; rm -rf /'],
    ['Read notes.md', '/home/me/notes.md'],
    ['anything', ''],
  ])('not: %s: %s', (request, value) => expect(isTyped(request, value)).toBe(false));
});
