import { expect } from 'vitest';
import { type Cell, expectSameText, toText } from '../cell.ts';
import { type Fields, isFrom, type Row } from '../cells.ts';
import type { Heard } from '../raw-client.ts';
import type { Scenario } from './scenario.ts';

const noElicitation = ({ revision }: Row) =>
  isFrom(revision, '2025-06-18') ? undefined : 'Elicitation starts at 2025-06-18';
const noUrls = ({ revision }: Row) =>
  isFrom(revision, '2025-11-25') ? undefined : 'Elicitation by URL starts at 2025-11-25';

/** What this client answers from now on; returns where the questions will stand. */
function answering(cell: Cell, responds: Record<string, (params: Fields) => Fields>): Cell['client']['asked'] {
  cell.client.responds.clear();
  for (const [method, respond] of Object.entries(responds)) cell.client.responds.set(method, respond);
  cell.client.asked.length = 0;
  return cell.client.asked;
}

function form(message: string, properties: Fields): Fields {
  return { message, requestedSchema: { type: 'object', properties, required: Object.keys(properties) } };
}

export const elicitation: Scenario = {
  title: 'Elicitation: form',
  proves:
    'accept, decline and cancel; several rounds; questions from tools, prompts and resources; the question arrives as written; a client that cannot be asked gets the server’s refusal',
  missing: noElicitation,
  async run(cell) {
    const replies: Fields[] = [{ action: 'accept', content: { response: 'ja ✓' } }, { action: 'decline' }];
    for (const reply of [...replies, { action: 'cancel' }]) {
      const asked = answering(cell, { 'elicitation/create': () => reply });
      const text = await cell.textOf('test_elicitation', { message: 'Wie geht’s?' });
      expect(text).toBe(
        `User response: action=${String(reply['action'])}, content=${JSON.stringify(reply['content'] ?? {})}`,
      );
      expect(asked.map(({ method }) => method)).toEqual(['elicitation/create']);
      expectSameText(asked[0]?.params, form('Wie geht’s?', { response: { type: 'string' } }));
    }
    await inSeveralRounds(cell);
    answering(cell, {
      'elicitation/create': () => ({ action: 'accept', content: { reason: 'why', context: 'here' } }),
    });
    const read = await cell.client.call('resources/read', { uri: cell.uri('test://asks-first') });
    expect(read.result?.['contents']).toMatchObject([
      { uri: cell.uri('test://asks-first'), text: 'read because: why' },
    ]);
    const prompt = await cell.client.call('prompts/get', { name: cell.name('test_input_required_result_prompt') });
    expect(prompt.result?.['messages']).toMatchObject([{ content: { text: 'Prompt with context: here' } }]);
  },
  refuse: (cell) => refused(cell, 'test_elicitation', { elicitation: {} }),
};

async function inSeveralRounds(cell: Cell): Promise<void> {
  const asked = answering(cell, {
    'elicitation/create': ({ requestedSchema }) => {
      const [field = ''] = Object.keys((requestedSchema as Fields)['properties'] as Fields);
      return { action: 'accept', content: { [field]: `my ${field}` } };
    },
  });
  expect(await cell.textOf('test_input_required_result_multi_round')).toBe('my name likes my color');
  expect(asked).toHaveLength(2);
}

async function refused(cell: Cell, tool: string, requiredCapabilities: Fields): Promise<void> {
  const asked = answering(cell, {});
  const answer = await cell.tool(tool, { message: 'Anyone?' });
  expect(answer.error).toMatchObject({ code: -32021, data: { requiredCapabilities } });
  expect(asked).toEqual([]);
}

export const urlElicitation: Scenario = {
  title: 'Elicitation: URL',
  proves: 'the URL arrives with its id where the revision has one, the answer goes back, completion is told',
  missing: noUrls,
  async run(cell) {
    for (const action of ['accept', 'decline']) {
      const asked = answering(cell, { 'elicitation/create': () => ({ action }) });
      const from = cell.client.heard.length;
      expect(await cell.textOf('test_url_elicitation')).toBe(`action=${action}`);
      expect(asked).toHaveLength(1);
      expect(asked[0]?.params).toMatchObject({
        mode: 'url',
        message: 'Please sign in',
        url: 'https://example.com/sign-in',
      });
      if (cell.modern) continue;
      const { elicitationId } = asked[0]?.params ?? {};
      expect(elicitationId).toEqual(expect.any(String));
      // A modern upstream has no such id and tells no completion: Sallyport makes the id and leaves it at that.
      if (cell.era === 'modern') continue;
      const told = await cell.client.waitFor('completion', isComplete, from);
      expect(told.message.params).toEqual({ elicitationId });
    }
  },
  refuse: (cell) =>
    refused(cell, 'test_url_elicitation', { elicitation: cell.revision === '2025-06-18' ? { url: {} } : {} }),
};

const isComplete = ({ message }: Heard) => message.method === 'notifications/elicitation/complete';

const sampled = { model: 'matrix-model', role: 'assistant', content: { type: 'text', text: 'Paris é' } };

export const sampling: Scenario = {
  title: 'Sampling',
  proves: 'the request arrives as written, the message goes back, a refusal is told to the server',
  async run(cell) {
    const asked = answering(cell, { 'sampling/createMessage': () => sampled });
    expect(await cell.textOf('test_sampling', { prompt: 'Capital?' })).toBe('LLM response: Paris é');
    expectSameText(
      asked.map(({ params }) => params),
      [{ messages: [{ role: 'user', content: { type: 'text', text: 'Capital?' } }], maxTokens: 100 }],
    );
    expect(await cell.textOf('test_input_required_result_sampling')).toBe('Sampling result: Paris é');
    if (cell.modern) return;
    // Only a legacy client can answer with an error; a modern one just does not retry.
    answering(cell, {});
    const refusal = await cell.tool('test_sampling', { prompt: 'Capital?' });
    expect(refusal.error !== undefined || refusal.result?.['isError'] === true).toBe(true);
  },
};

export const roots: Scenario = {
  title: 'Roots',
  proves: 'the client’s roots reach the server that asks; together with other questions too',
  async run(cell) {
    const list = [{ uri: 'file:///work/é', name: 'work', _meta: { 'com.example/x': 1 } }];
    const answers = {
      'roots/list': () => ({ roots: list }),
      'sampling/createMessage': () => sampled,
      'elicitation/create': () => ({ action: 'accept', content: { name: 'Ada' } }),
    };
    const asked = answering(cell, answers);
    expect(await cell.textOf('test_roots')).toBe(JSON.stringify(list));
    expect(asked.map(({ method }) => method)).toEqual(['roots/list']);
    expect(await cell.textOf('test_input_required_result_list_roots')).toBe(`Roots: ${JSON.stringify(list)}`);
    if (noElicitation(cell.row) !== undefined) return;
    answering(cell, answers);
    expect(await cell.textOf('test_input_required_result_multiple_inputs')).toBe(
      `Name: Ada; Greeting: Paris é; Roots: ${JSON.stringify(list)}`,
    );
    expect(asked.map(({ method }) => method).sort()).toEqual(Object.keys(answers).sort());
  },
};

export const sideEffects: Scenario = {
  title: 'Side effects happen once',
  proves:
    'a call that stops to ask is resumed, never repeated: the server’s own count goes up by one, and by none when the person says no or the answer is sent twice',
  missing: noElicitation,
  async run(cell) {
    const count = async () => Number(await cell.textOf('read_side_effects'));
    const before = await count();
    answering(cell, { 'elicitation/create': () => ({ action: 'accept', content: { ok: true } }) });
    expect(await cell.textOf('count_side_effect')).toBe(`side effect ${before + 1}`);
    expect(await count()).toBe(before + 1);
    answering(cell, { 'elicitation/create': () => ({ action: 'decline' }) });
    expect(await cell.textOf('count_side_effect')).toBe('not confirmed');
    expect(await count()).toBe(before + 1);
    if (cell.modern && cell.era === 'legacy') await answeredTwice(cell, count);
  },
  refuse: (cell) => refused(cell, 'count_side_effect', { elicitation: {} }),
};

/** Across the era bridge a retry may arrive twice (a lost connection, an impatient client): the second is refused. */
async function answeredTwice(cell: Cell, count: () => Promise<number>): Promise<void> {
  const before = await count();
  answering(cell, { 'elicitation/create': () => ({ action: 'accept', content: { ok: true } }) });
  const params = { name: cell.name('count_side_effect'), arguments: {} };
  const first = await cell.client.request('tools/call', params).answer;
  expect(first.result?.['resultType']).toBe('input_required');
  const retry = { ...params, ...cell.client.respondAll(first.result ?? {}) };
  expect(toText(await cell.client.request('tools/call', retry).answer)).toBe(`side effect ${before + 1}`);
  const again = await cell.client.request('tools/call', retry).answer;
  expect(again.error?.code).toBe(-32602);
  const other = { ...retry, name: cell.name('test_echo') };
  expect((await cell.client.request('tools/call', other).answer).error?.code).toBe(-32602);
  expect(await count()).toBe(before + 1);
}
