import { expect } from 'vitest';
import type { Cell } from '../cell.ts';
import type { Fields } from '../cells.ts';
import type { Call, Heard } from '../raw-client.ts';
import type { Scenario } from './scenario.ts';

const subscriptionKey = 'io.modelcontextprotocol/subscriptionId';
const watched = 'test://watched-resource';

interface Listening {
  /** What every notification carries besides its own params. */
  readonly meta: Fields;
  stop(): Promise<void>;
}

let streams = 0;

/** Opens the one stream on which a modern client hears of changes; a legacy client hears of list changes anyway. */
async function listen(cell: Cell, notifications: Fields): Promise<Listening> {
  if (!cell.modern) return { meta: {}, stop: async () => {} };
  const id = `stream ${++streams}`;
  const from = cell.client.heard.length;
  const call: Call = cell.client.request('subscriptions/listen', { notifications }, { id: JSON.stringify(id) });
  const { message } = await cell.client.waitFor(
    'the acknowledgement',
    (heard) => heard.message.method === 'notifications/subscriptions/acknowledged',
    from,
  );
  const meta = { _meta: { [subscriptionKey]: id } };
  expect(message.params).toEqual({ notifications, ...meta });
  return { meta, stop: () => call.cancel() };
}

const lists = [
  { list: 'tools', trigger: 'test_trigger_tool_change', key: 'name', extra: (cell: Cell) => cell.name('extra_tool') },
  {
    list: 'prompts',
    trigger: 'test_trigger_prompt_change',
    key: 'name',
    extra: (cell: Cell) => cell.name('extra_prompt'),
  },
  {
    list: 'resources',
    trigger: 'test_trigger_resource_change',
    key: 'uri',
    extra: (cell: Cell) => cell.uri('test://extra'),
  },
];

export const listChanges: Scenario = {
  title: 'List changes',
  proves:
    'tools, prompts and resources that come and go are told, and the list asked for then is the new one; what is new can be used',
  async run(cell) {
    const wanted = { toolsListChanged: true, promptsListChanged: true, resourcesListChanged: true };
    const listening = await listen(cell, wanted);
    for (const listed of [true, false]) {
      const from = cell.client.heard.length;
      for (const { trigger } of lists) await cell.textOf(trigger);
      for (const { list, key, extra } of lists) {
        const heard = await cell.client.waitFor(`${list} changed`, isChange(list), from);
        expect(heard.message.params ?? {}).toEqual(listening.meta);
        const names = (await cell.list(`${list}/list`, list)).map((item) => item[key]);
        expect(names.includes(extra(cell)), `${list} with the extra one`).toBe(listed);
      }
      if (listed) await isUsable(cell);
      for (const { list } of lists) expect(cell.client.heard.slice(from).filter(isChange(list))).toHaveLength(1);
    }
    await listening.stop();
  },
};

const isChange =
  (list: string) =>
  ({ message }: Heard) =>
    message.method === `notifications/${list}/list_changed`;

async function isUsable(cell: Cell): Promise<void> {
  expect(await cell.textOf('extra_tool')).toBe('I am listed now.');
  const prompt = await cell.client.call('prompts/get', { name: cell.name('extra_prompt') });
  expect(prompt.result?.['messages']).toMatchObject([{ content: { text: 'I am listed now.' } }]);
  const read = await cell.client.call('resources/read', { uri: cell.uri('test://extra') });
  expect(read.result?.['contents']).toMatchObject([{ text: 'I am listed now.' }]);
}

export const resourceUpdates: Scenario = {
  title: 'Resource updates',
  proves:
    'subscribed (resources/subscribe or subscriptions/listen): each update is told under the URI the client knows, and read anew; not any more after the end of it',
  async run(cell) {
    const uri = cell.uri(watched);
    const listening = await follow(cell, [uri]);
    const from = cell.client.heard.length;
    const version = (await cell.textOf('test_trigger_resource_update')).replace('version ', '');
    const heard = await cell.client.waitFor('an update', isUpdateOf(uri), from);
    expect(heard.message.params).toMatchObject({ uri, ...listening.meta });
    const read = await cell.client.call('resources/read', { uri });
    expect(read.result?.['contents']).toMatchObject([{ uri, text: `version ${version}` }]);
    await listening.stop();
    await silentFromNowOn(cell);
  },
};

const isUpdateOf =
  (uri: string) =>
  ({ message }: Heard) =>
    message.method === 'notifications/resources/updated' && message.params?.['uri'] === uri;

async function follow(cell: Cell, uris: readonly string[]): Promise<Listening> {
  if (cell.modern) return listen(cell, { resourceSubscriptions: uris });
  for (const uri of uris) expect((await cell.client.call('resources/subscribe', { uri })).error).toBeUndefined();
  const stop = async () => {
    for (const uri of uris) expect((await cell.client.call('resources/unsubscribe', { uri })).error).toBeUndefined();
  };
  return { meta: {}, stop };
}

/** An update of another resource comes after it on the same way: once that is heard, the first would have been. */
async function silentFromNowOn(cell: Cell): Promise<void> {
  const marker = 'test://static-text';
  const listening = await follow(cell, [cell.uri(marker)]);
  const from = cell.client.heard.length;
  await cell.textOf('test_trigger_resource_update');
  await cell.textOf('test_trigger_resource_update', { uri: marker });
  await cell.client.waitFor('the other update', isUpdateOf(cell.uri(marker)), from);
  expect(cell.client.heard.slice(from).filter(isUpdateOf(cell.uri(watched)))).toEqual([]);
  await listening.stop();
}
