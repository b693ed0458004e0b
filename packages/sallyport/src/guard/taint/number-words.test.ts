import { expect, test } from 'vitest';
import { Conversation } from '../../../test/taint-conversation.ts';

const SAME = [884_127, 'The price is 884127 in all', 'The price is 884127.00 in all', 'The price is 8.84127e5 in all'];

test.each(SAME)('a number is the same however it is written: %s', (read) => {
  for (const query of ['884127', '884127.00', '884127.0', '8.84127e5', '8.84127E+5', '88412.7e1', 'is 884127.000 much'])
    expect([
      query,
      new Conversation().reads('bank.get_transactions', [{ price: read }]).call('web.search', { query }).kind,
    ]).toEqual([query, 'ask']);
});

test('another number is another one', () => {
  for (const query of ['884128.00', '8.84127e6', '1.0', '2026.00', '1e5', '99999999999999999999.0', '1e99'])
    expect([
      query,
      new Conversation().reads('bank.get_transactions', [{ price: 884_127 }]).call('web.search', { query }).kind,
    ]).toEqual([query, 'allow']);
});
