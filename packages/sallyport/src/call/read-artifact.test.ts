import { expect, test } from 'vitest';
import { openRelay, toInbound } from '../../test/sample-relay.ts';
import { type Artifact, BLOCK } from '../core/artifact.ts';
import { toSource } from '../core/byte-source.ts';
import { UNHURRIED } from '../core/pace.ts';
import type { Guard } from '../guard/guard.ts';
import { parsePath } from './artifacts/json-path.ts';
import { findLine, findText, readRange } from './artifacts/read-range.ts';
import { callAnyTool } from './call-any-tool.ts';
import { countText } from './fit/count-text.ts';
import type { LargeResults } from './large-results.ts';

const TEXT = Array.from({ length: 9_000 }, (_, i) => `line ${i} 中文😀 sk-key-${i}-abcdef`).join('\n');
const BYTES = Buffer.from(TEXT);

function toArtifact(): Artifact {
  const size = { characters: 0, wide: 0, lines: 0 };
  const blocks: number[] = [];
  for (let at = 0; at < BYTES.length; at += BLOCK) {
    blocks.push(size.characters, size.lines);
    countText(BYTES.subarray(at, at + BLOCK), size);
  }
  return {
    id: `ar_${'0'.repeat(32)}`,
    owner: { principal: 'local', agent: '', run: 'r' },
    ...{ endpoint: 'all', upstream: 'web', tool: 'log', publicName: 'web_log', callId: 'c', labels: undefined },
    ...{ form: 'text', mimeType: 'text/plain', bytes: BYTES.length, characters: size.characters, lines: size.lines },
    ...{ blocks, createdAt: 0, expiresAt: 1 },
  };
}

const ARTIFACT = toArtifact();
const SOURCE = toSource(BYTES);

test('a range is where the same range of the whole text is, whatever its characters take in bytes', async () => {
  expect(ARTIFACT.characters).toBe(TEXT.length);
  for (const offset of [0, 5, BLOCK - 3, 100_000, 200_001, TEXT.length - 10]) {
    const { text, start, end } = await readRange(SOURCE, ARTIFACT, { offset, length: 50 });
    expect(text).toBe(TEXT.slice(start, end));
    expect(start).toBeLessThanOrEqual(offset);
    expect(end).toBeGreaterThanOrEqual(Math.min(TEXT.length, offset + 50));
  }
});

test('no range cuts a word: half a key would have no label', async () => {
  const at = TEXT.indexOf('sk-key-4000-');
  for (let i = 0; i < 12; i++) {
    const { text } = await readRange(SOURCE, ARTIFACT, { offset: at + i, length: 1 });
    expect(text).toBe('sk-key-4000-abcdef');
  }
});

test('lines and words are found in every block', async () => {
  for (const line of [1, 2, 2_500, 9_000]) {
    const offset = await findLine(SOURCE, ARTIFACT, line);
    expect(TEXT.slice(offset).startsWith(`line ${line - 1} `)).toBe(true);
  }
  for (const number of [0, 1_999, 4_321, 8_999]) {
    const found = await findText(SOURCE, ARTIFACT, { word: `LINE ${number} `, offset: 0, most: 3, pause: UNHURRIED });
    expect(found).toMatchObject([{ line: number + 1, offset: TEXT.indexOf(`line ${number} `) }]);
  }
});

test.each(['$..a', '$[?(@.a)]', '$.a[', '$.a b'])('a path that is none of ours says what is: %s', (path) => {
  expect(() => parsePath(path)).toThrow(/names, indexes, slices and \*/);
});

function open(guards: readonly Guard[]) {
  const read: string[] = [];
  const largeResults: LargeResults = {
    fit: () => undefined,
    isOn: () => true,
    isHolder: () => true,
    async open(_inbound, run) {
      read.push(run);
      return { artifact: ARTIFACT, source: SOURCE, close: async () => undefined };
    },
  };
  return { ...openRelay(guards, { largeResults }), read };
}

const call = { name: 'read_artifact', arguments: { artifact: ARTIFACT.id, length: 20 } };

test('a part passes the inner door as what its server sent', async () => {
  const seen: string[] = [];
  const watch: Guard = {
    name: 'watch',
    kinds: ['contents'],
    judge: ({ upstream, target }) => {
      seen.push(`${upstream} ${target}`);
      return { kind: 'allow' };
    },
  };
  const { ports, steps } = open([watch]);
  const answer = await callAnyTool(ports, toInbound('tools/call', call));
  expect(answer.result).toMatchObject({ content: [{ text: 'line 0 中文😀 sk-key-0-abcdef' }, { type: 'text' }] });
  expect(seen[0]).toBe('web log');
  // No server was asked.
  expect(steps).toEqual(['recorded', 'ok']);
});

test('what a guard withholds is not given', async () => {
  const no: Guard = {
    name: 'no',
    kinds: ['contents'],
    judge: () => ({ kind: 'deny', code: 'denied', reason: 'It is withheld.' }),
  };
  const answer = await callAnyTool(open([no]).ports, toInbound('tools/call', call));
  expect(answer.result).toEqual({ content: [{ type: 'text', text: 'It is withheld.' }], isError: true });
});
