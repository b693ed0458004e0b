import { describe, expect, test } from 'vitest';
import { elicit, readField } from './elicit.ts';

async function run(params: object, answers: (string | undefined)[]) {
  const said: string[] = [];
  const result = await elicit(
    {
      server: 'weather',
      say: (text) => said.push(text),
      ask: async (question) => {
        said.push(question);
        return answers.shift();
      },
    },
    params as never,
  );
  return { result, said: said.join('\n'), left: answers.length };
}

const form = {
  message: 'Where to?',
  requestedSchema: {
    type: 'object',
    properties: {
      city: { type: 'string', title: 'City' },
      days: { type: 'integer', minimum: 1, default: 3 },
      note: { type: 'string' },
    },
    required: ['city'],
  },
};

describe('a form', () => {
  test('names the server, shows what goes out, then sends', async () => {
    const { result, said } = await run(form, ['y', 'Paris', '', '', 'y']);
    expect(result).toEqual({ action: 'accept', content: { city: 'Paris', days: 3 } });
    expect(said).toContain('The server "weather" asks: Where to?');
    expect(said).toContain('It wants: city, days, note.');
    expect(said).toContain('This goes to "weather": {"city":"Paris","days":3}');
  });

  test.each<[string, (string | undefined)[], object]>([
    ['declined', ['n'], { action: 'decline' }],
    ['cancelled', ['c'], { action: 'cancel' }],
    ['anything else cancels', [''], { action: 'cancel' }],
    ['the input ends', [undefined], { action: 'cancel' }],
    ['the input ends in a field', ['y', undefined], { action: 'cancel' }],
    ['declined at the end', ['y', 'x', '', '', 'n'], { action: 'decline' }],
    ['wrong five times', ['y', '', '', '', '', ''], { action: 'cancel' }],
    [
      'wrong, then right',
      ['y', '', 'x', '0', 'two', '2', '', 'y'],
      { action: 'accept', content: { city: 'x', days: 2 } },
    ],
  ])('%s', async (_, answers, expected) => {
    expect(await run(form, answers)).toMatchObject({ result: expected, left: 0 });
  });

  test('escape sequences do not reach the questions', async () => {
    const { said } = await run({ message: 'x', requestedSchema: { properties: { a: { title: '\u001b[2J' } } } }, [
      'y',
      '',
      'y',
    ]);
    expect(said).not.toContain('\u001b');
  });
});

test.each<[object, string, object]>([
  [{ mode: 'url', url: 'https://bank.test/login', message: 'Sign in' }, 'y', { action: 'accept' }],
  [{ mode: 'url', url: 'https://bank.test/login', message: 'Sign in' }, 'n', { action: 'decline' }],
  [{ mode: 'url', url: 'javascript:alert(1)', message: 'Sign in' }, 'y', { action: 'decline' }],
  [{ mode: 'url', message: 'Sign in' }, 'y', { action: 'decline' }],
])('a page %j, answered %s', async (params, answer, expected) => {
  const { result, said } = await run(params, [answer]);
  expect(result).toEqual(expected);
  if (answer === 'y' && 'url' in params && params.url === 'https://bank.test/login')
    expect(said).toContain('a page of bank.test');
});

test.each<[object, string, unknown]>([
  [{ type: 'string', maxLength: 2 }, 'ab', 'ab'],
  [{ type: 'string', maxLength: 2 }, 'abc', undefined],
  [{ type: 'number' }, '1.5', 1.5],
  [{ type: 'integer' }, '1.5', undefined],
  [{ type: 'integer', maximum: 5 }, '6', undefined],
  [{ type: 'boolean' }, 'Yes', true],
  [{ type: 'boolean' }, 'no', false],
  [{ type: 'boolean' }, 'maybe', undefined],
  [{ type: 'string', enum: ['a', 'b'] }, 'b', 'b'],
  [{ type: 'string', enum: ['a', 'b'] }, 'c', undefined],
  [{ type: 'string', oneOf: [{ const: 'a', title: 'A' }] }, 'a', 'a'],
  [{ type: 'array', items: { type: 'string', enum: ['a', 'b'] } }, 'a, b', ['a', 'b']],
  [{ type: 'array', items: { anyOf: [{ const: 'a' }] } }, 'b', undefined],
  [{ type: 'array', items: { type: 'string', enum: ['a', 'b'] }, maxItems: 1 }, 'a,b', undefined],
])('field %j reads %s', (field, line, value) => {
  const read = readField(field as never, line);
  expect(read.kind === 'value' ? read.value : undefined).toEqual(value);
});
