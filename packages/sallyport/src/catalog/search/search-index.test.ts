import { describe, expect, test } from 'vitest';
import type { ToolFace } from '../../core/tool-face.ts';
import { SearchIndex } from './search-index.ts';
import { toTerms } from './tokens.ts';

function tool(server: string, name: string, description = '', parameters: readonly string[] = []): ToolFace {
  return { server, name, title: '', description, parameters };
}

function indexOf(...tools: readonly ToolFace[]): SearchIndex {
  const index = new SearchIndex();
  for (const one of tools) index.add(one);
  return index;
}

const asked = (query: string) => new Map(toTerms(query).map((term) => [term, 1]));

const names = (index: SearchIndex, query: string, most = 10, mostPerServer = most) =>
  index.search(asked(query), { most, mostPerServer }).map(({ tool }) => `${tool.server}/${tool.name}`);

describe('what a text is about', () => {
  test.each([
    ['getUserByID', ['get', 'user', 'by', 'id']],
    ['list_HTTPServers', ['list', 'http', 'server']],
    ['Searching for searched searches', ['search', 'for', 'search', 'search']],
    ['copies of the boxes, classes and status', ['copy', 'of', 'the', 'box', 'class', 'and', 'status']],
    ['running stopped planning', ['run', 'stop', 'plan']],
    ['ｇｅｔＵｓｅｒ ﬁle', ['get', 'user', 'file']],
    ['搜索网页 search网页', ['搜', '索', '搜索', '网', '网页', '页'].sort()],
    ['', []],
  ])('%j', (text, terms) => {
    const found = toTerms(text);
    if (/\p{Script=Han}/u.test(text)) expect(found).toEqual(expect.arrayContaining(terms));
    else expect(found).toEqual(terms);
  });

  test('no more of it than there is room for', () => {
    expect(toTerms('word '.repeat(10_000)).length).toBeLessThan(500);
    expect(toTerms('字'.repeat(10_000)).length).toBeLessThan(2000);
  });
});

describe('search', () => {
  const index = indexOf(
    tool('mail', 'send_email', 'Sends an email to an address.', ['to', 'subject', 'body']),
    tool('mail', 'list_folders', 'Lists the folders of a mailbox.'),
    tool('chat', 'send_message', 'Sends a message to a channel.', ['channel', 'text']),
    tool('files', 'search_files', 'Searches files by name.', ['pattern']),
    tool('天气', '查询天气', '查询一个城市的天气预报。', ['城市']),
  );

  test.each([
    ['email', 'mail/send_email'],
    ['sending emails', 'mail/send_email'],
    ['subject', 'mail/send_email'],
    ['find files searching', 'files/search_files'],
    ['message channel', 'chat/send_message'],
    ['城市天气', '天气/查询天气'],
  ])('%s: %s', (query, first) => {
    expect(names(index, query)[0]).toBe(first);
  });

  test('what nobody has finds nothing', () => expect(names(index, 'submarine')).toEqual([]));

  test('a name says more than a text, and a short text more than a long one', () => {
    const some = indexOf(
      tool('a', 'other', `Something about weather. ${'And much more that is not. '.repeat(20)}`),
      tool('b', 'plain', 'Tells the weather.'),
      tool('c', 'weather'),
    );
    expect(names(some, 'weather')).toEqual(['c/weather', 'b/plain', 'a/other']);
  });

  test('a word that is written ever again is worth no more than a name', () => {
    const some = indexOf(tool('stuffed', 'x', 'weather '.repeat(1000)), tool('honest', 'get_weather', 'Of a city.'));
    expect(names(some, 'weather')[0]).toBe('honest/get_weather');
  });
});

describe('what changes', () => {
  test('only what was added is found, and what was taken out no more', () => {
    const index = indexOf(tool('a', 'one', 'apples'), tool('b', 'two', 'apples'));
    index.remove('a', 'one');
    index.remove('a', 'nothing');
    expect(names(index, 'apples')).toEqual(['b/two']);
    index.add(tool('b', 'two', 'pears'));
    expect(names(index, 'apples')).toEqual([]);
    expect(names(index, 'pears')).toEqual(['b/two']);
    index.remove('b', 'two');
    expect(index.size).toBe(0);
  });

  test('adding and removing in any order is the same as having added what is left', () => {
    const all = Array.from({ length: 400 }, (_, i) =>
      tool(`s${i % 7}`, `tool_${i}`, `does thing${i % 31} to item${i}`),
    );
    const changed = indexOf(...all);
    for (const [i, one] of all.entries()) if (i % 3 !== 0) changed.remove(one.server, one.name);
    const fresh = indexOf(...all.filter((_, i) => i % 3 === 0));
    for (const query of ['thing3', 'item9 thing1', 'does'])
      expect(names(changed, query, 400).sort()).toEqual(names(fresh, query, 400).sort());
    expect(changed.size).toBe(fresh.size);
    // What was put together anew can be changed again.
    for (const one of all) changed.add(one);
    for (const one of all) fresh.add(one);
    expect(names(changed, 'thing3 item34', 400).sort()).toEqual(names(fresh, 'thing3 item34', 400).sort());
    expect(names(changed, 'item34')).toEqual(['s6/tool_34']);
  });

  test('the tools of one server are replaced by others', () => {
    const index = indexOf(tool('a', 'one', 'apples'), tool('a', 'two', 'pears'), tool('b', 'three', 'apples'));
    const same = tool('a', 'two', 'pears');
    index.replace('a', [same, tool('a', 'four', 'plums')]);
    expect(names(index, 'apples')).toEqual(['b/three']);
    expect(names(index, 'plums')).toEqual(['a/four']);
    expect(index.get('a', 'two')).toBe(same);
    index.replace('a', [tool('a', 'two', 'cherries')]);
    expect(names(index, 'pears plums')).toEqual([]);
    expect(names(index, 'cherries')).toEqual(['a/two']);
    index.replace('a', []);
    expect(index.size).toBe(1);
  });
});

describe('limits', () => {
  const flood = Array.from({ length: 300 }, (_, i) => tool('flood', `weather_${i}`, 'The weather.'));
  const index = indexOf(...flood, tool('quiet', 'forecast', 'A forecast of the weather in many words of its own.'));

  test('one server may not crowd out the rest', () => {
    expect(names(index, 'weather', 10, 10)).not.toContain('quiet/forecast');
    const hits = index.search(asked('weather'), { most: 10 }).map(({ tool }) => tool);
    expect(hits.filter(({ server }) => server === 'flood')).toHaveLength(5);
    expect(hits.map(({ server }) => server)).toContain('quiet');
  });

  test('a score says how much of the query is there', () => {
    const [first] = index.search(asked('forecast'), { most: 1 });
    const [half] = index.search(asked('forecast submarine'), { most: 1 });
    expect(first?.score).toBeGreaterThan(0.5);
    expect(first?.score).toBeLessThanOrEqual(1);
    expect(half?.score).toBeLessThan((first?.score ?? 0) * 0.6);
  });

  test('what a caller may not see takes no place', () => {
    const hits = index.search(asked('weather'), { most: 3, isVisible: ({ server }) => server === 'quiet' });
    expect(hits.map(({ tool }) => tool.name)).toEqual(['forecast']);
  });
});
