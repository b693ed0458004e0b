import { expect, it } from 'vitest';
import { Peers } from './peers.ts';

const PROGRAMS: ReadonlyMap<string, string> = new Map([
  ['work', 'npm:memory'],
  ['home', 'npm:memory'],
  ['other', 'npm:memory-pro'],
]);

it('reads a definition beside the tools of other programs, not beside a second entry of its own', () => {
  const peers = new Peers({ arrival: () => 0, program: (server) => PROGRAMS.get(server), now: () => 0 });
  for (const server of ['work', 'home', 'other', 'nameless'])
    peers.set(server, 'search', JSON.stringify({ name: 'search', description: 'Searches the graph.' }));
  const beside = (server: string) => peers.besideTools(server, []).map((face) => face.server);
  expect(beside('work')).toEqual(['other', 'nameless']);
  expect(beside('home')).toEqual(['other', 'nameless']);
  expect(beside('other')).toEqual(['work', 'home', 'nameless']);
  // What nobody knows the program of is beside all.
  expect(beside('nameless')).toEqual(['work', 'home', 'other']);
});
