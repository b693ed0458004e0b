import { describe, expect, test } from 'vitest';
import { Conversation } from '../../../test/taint-conversation.ts';
import type { JsonObject } from '../../core/json.ts';

const CONTRACT = `The seller shall indemnify Halvorsen Marine against any claim that arises before the closing in March, and
the price of the northern yard is reduced by one fifth where the survey finds the slipway unsound.`;

const law = () => new Conversation().reads('wiki.get_page', CONTRACT);
const chop = (text: string, size: number): string[] => text.match(new RegExp(`.{1,${size}}`, 'gs')) ?? [];
const folded = (text: string) => text.replace(/[^a-z0-9]/gi, '').length;

type Say = (part: string, at: number) => readonly [string, JsonObject];

const WAYS: Readonly<Record<string, Say>> = {
  'as the only argument': (query) => ['web.search', { query }],
  'beside arguments that stay': (query) => ['web.search', { query, lang: 'en', limit: 10 }],
  'beside one that changes': (query, at) => ['web.search', { query, page: at }],
  'in a mail': (body) => ['mail.send_email', { to: 'somebody.else@outside.example', subject: 'note', body }],
  'now to one, now to another': (text, at) =>
    at % 2 === 0 ? ['web.search', { query: text }] : ['notes.add_note', { text }],
};

/** Which of these calls go through, in their order. */
function passed(conversation: Conversation, parts: readonly string[], say: Say): readonly boolean[] {
  return parts.map((part, at) => conversation.call(...say(part, at)).kind === 'allow');
}

describe('private prose does not leave in parts over several calls', () => {
  const sizes = [1, 4, 10, 16, 24];
  for (const [name, say] of Object.entries(WAYS))
    test.each(sizes)(`${name}, %i characters each`, (size) => {
      const parts = chop(CONTRACT, size);
      const through = passed(law(), parts, say);
      // What passed before sixteen letters of it were together.
      let said = 0;
      parts.forEach((part, at) => {
        said += folded(part);
        if (said >= 16 && folded(part) > 0) expect([at, through[at]]).toEqual([at, false]);
      });
    });

  test('and a longer text in between is no reason to forget', () => {
    const talk = law();
    const through = chop(CONTRACT, 12).map((query) => {
      const verdict = talk.call('web.search', { query });
      talk.call('web.search', { query: 'what is the weather going to be like tomorrow afternoon' });
      return verdict.kind === 'allow';
    });
    expect(through.filter(Boolean).length).toBeLessThan(3);
  });

  test('sixteen letters and digits of it are known wherever they stand', () => {
    const text = CONTRACT.replace(/\s+/g, ' ');
    for (let at = 0; at + 24 <= text.length; at++) {
      const query = text.slice(at, at + 24);
      if (folded(query) >= 16) expect([query, law().call('web.search', { query }).kind]).toEqual([query, 'ask']);
    }
  });
});

/** What docs/taint.md says of parts of prose. */
describe('the limits that the guide names', () => {
  const seventeen = chop(CONTRACT.replace(/[^a-z0-9]/gi, ''), 17).filter((part) => part.length === 17);
  const filler = 'It rains a lot in that town, and nobody there minds, since boats are washed for nothing: ';
  const goes = (query: string) => law().call('web.search', { query }).kind === 'allow';

  test('sixteen in an argument of up to sixty, seventeen in a longer one', () => {
    for (const part of seventeen) {
      expect([goes(part.slice(0, 15)), goes(part.slice(0, 16))]).toEqual([true, false]);
      expect([goes(filler + part.slice(0, 16)), goes(filler + part)]).toEqual([true, false]);
    }
  });

  test('parts that do not follow each other, and parts beside other words in longer arguments, are not known', () => {
    const parts = chop(CONTRACT, 10);
    const apart = parts.filter((_, at) => at % 2 === 0);
    expect(passed(law(), apart, (query) => ['web.search', { query }])).not.toContain(false);
    expect(passed(law(), parts, (part) => ['web.search', { query: `${filler}${part}` }])).not.toContain(false);
  });
});

/** What people look for, one short question after the other, having read something private. */
const SHORT = [
  ...['weather Oslo', 'exchange rate NOK', 'Halvorsen', 'ferry to Kiel', 'what is a slipway', 'indemnify', 'law firm'],
  ...['price of steel', 'before closing', 'en', '10', '2026', 'Oslo', '3', 'survey cost', 'March holidays', 'claim'],
];

describe('harmless', () => {
  test('short questions in a row', () => {
    for (const say of Object.values(WAYS)) expect(passed(law(), SHORT, say)).toEqual(SHORT.map(() => true));
  });

  test('short questions after one that a person was asked about', () => {
    const records = { account: '4411998877', holder: 'Rosalind Okonkwo-Meyer', email: 'r.okonkwo@bank.example' };
    for (const asked of [...Object.values(records), 'customer 4411998877', 'Rosalind Okonkwo-M']) {
      const talk = new Conversation().reads('bank.get_transactions', records);
      talk.call('web.search', { query: asked });
      expect([asked, passed(talk, SHORT, (query) => ['web.search', { query }])]).toEqual([
        asked,
        SHORT.map(() => true),
      ]);
    }
  });

  test('what its own server is asked for, and short questions in between', () => {
    const talk = new Conversation().reads('bank.get_transactions', { account: '4411998877' });
    for (const query of SHORT) {
      expect(talk.call('bank.get_transactions', { account: '4411998877' })).toEqual({ kind: 'allow' });
      expect(talk.call('web.search', { query })).toEqual({ kind: 'allow' });
    }
  });
});
