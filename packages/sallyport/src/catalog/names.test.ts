import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { assignNames, type ServerNames } from './names.ts';

function publicNames(...servers: [server: string, prefix: string, ...names: string[]][]): string[] {
  const assigned = assignNames(servers.map(([server, prefix, ...names]) => ({ server, prefix, names })));
  return servers.flatMap(([server, , ...names]) => names.map((name) => assigned.toPublic.get(server)?.get(name) ?? ''));
}

describe('assignNames', () => {
  const long = 'x'.repeat(100);
  it.each<[string, [string, string, ...string[]][], (string | RegExp)[]]>([
    ['prefix and name', [['github', 'github', 'search', 'get_me']], ['github_search', 'github_get_me']],
    ['no prefix', [['github', '', 'search']], ['search']],
    ['64 characters stay', [['s', 'p', 'x'.repeat(62)]], [`p_${'x'.repeat(62)}`]],
    ['65 are cut', [['s', 'p', 'x'.repeat(63)]], [/^p_x{53}_[0-9a-f]{8}$/]],
    ['a long prefix keeps a head', [['s', 'p'.repeat(50), long]], [/^p{20}_x{34}_[0-9a-f]{8}$/]],
    ['a long prefix before a short name', [['s', 'p'.repeat(80), 'read']], [/^p{50}_read_[0-9a-f]{8}$/]],
    ['other characters', [['s', 'p', 'a b', '天气']], [/^p_a_b_[0-9a-f]{8}$/, /^p____[0-9a-f]{8}$/]],
    ['a dot in the server', [['x.y', 'x.y', 'get_me']], ['x_y_get_me']],
    ['dots in names', [['s', 'p', 'a.b', 'a.b.c']], ['p_a_b', 'p_a_b_c']],
    ['a dot whose repaired name another tool has', [['s', 'p', 'a.b', 'a_b']], [/^p_a_b_[0-9a-f]{8}$/, 'p_a_b']],
    ['two that are repaired to one', [['s', 'p', 'a.b_c', 'a_b.c']], ['p_a_b_c', /^p_a_b_c_[0-9a-f]{8}$/]],
    [
      'a dotted server beside one that looks like it',
      [
        ['x.y', 'x.y', 'get'],
        ['x_y', 'x_y', 'get'],
      ],
      ['x_y_get', /^x_y_get_[0-9a-f]{8}$/],
    ],
    ['names of objects', [['s', '', 'constructor', '__proto__']], ['constructor', '__proto__']],
    [
      'a + b_c before a_b + c',
      [
        ['1', 'a', 'b_c'],
        ['2', 'a_b', 'c'],
      ],
      ['a_b_c', /^a_b_c_[0-9a-f]{8}$/],
    ],
    [
      'without prefix the first server wins',
      [
        ['1', '', 'search'],
        ['2', '', 'search'],
      ],
      ['search', /^search_[0-9a-f]{8}$/],
    ],
  ])('%s', (_, servers, expected) => {
    const got = publicNames(...servers);
    expect(got).toHaveLength(expected.length);
    got.forEach((name, i) => {
      const want = expected[i]!;
      if (typeof want === 'string') expect(name).toBe(want);
      else expect(name).toMatch(want);
    });
  });

  it('leaves a tool its real name when it looks like the short form of another', () => {
    const [short] = publicNames(['s', '', 'a b']);
    const [again, real] = publicNames(['s', '', 'a b', short!]);
    expect(real).toBe(short);
    expect(again).not.toBe(short);
    expect(again).toMatch(/^a_b_[0-9a-f]{8}$/);
  });

  const text = fc.oneof(
    fc.string({ maxLength: 90 }),
    fc.string({ unit: 'binary', maxLength: 90 }),
    fc.constantFrom('a', 'a_b', 'b_c', 'c', 'search', 'constructor', '__proto__', '天气'),
  );
  const servers: fc.Arbitrary<ServerNames[]> = fc.uniqueArray(
    fc.record({
      server: text,
      prefix: text,
      names: fc.array(
        text.filter((name) => name !== ''),
        { maxLength: 12 },
      ),
    }),
    { selector: (server) => server.server, maxLength: 6 },
  );

  it('gives every name one public name that maps back', () => {
    fc.assert(
      fc.property(servers, (all) => {
        const { toPublic, toOwn } = assignNames(all);
        let count = 0;
        for (const { server, names } of all) {
          for (const name of new Set(names)) {
            const publicName = toPublic.get(server)?.get(name);
            expect(publicName).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
            expect(toOwn.get(publicName!)).toEqual({ server, name });
            count++;
          }
        }
        expect(toOwn.size).toBe(count);
      }),
      { numRuns: 300, seed: 1 },
    );
  });

  it('does not let later servers change the names of earlier ones', () => {
    fc.assert(
      fc.property(servers, (all) => {
        const before = assignNames(all.slice(0, -1)).toPublic;
        const after = assignNames(all).toPublic;
        for (const [server, names] of before) expect(after.get(server)).toEqual(names);
      }),
      { numRuns: 200, seed: 2 },
    );
  });

  it('does not depend on the order of names that fit', () => {
    const names = ['a', 'b', 'x'.repeat(80), 'a b'];
    const one = assignNames([{ server: 's', prefix: 'p', names }]).toPublic.get('s');
    const other = assignNames([{ server: 's', prefix: 'p', names: [...names].reverse() }]).toPublic.get('s');
    expect(new Map([...(other ?? [])].sort())).toEqual(new Map([...(one ?? [])].sort()));
  });
});
