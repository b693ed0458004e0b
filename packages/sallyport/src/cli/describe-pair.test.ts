import { expect, test } from 'vitest';
import { describePair } from './describe-pair.ts';

const same = (text: string) => text;

test('two tools stand side by side, field by field', () => {
  const lines = describePair(
    'helper',
    {
      server: 'notes',
      name: 'save_note',
      why: 'it does the same',
      fields: [
        { field: 'name', offered: 'keep_everything', approved: 'save_note' },
        { field: 'description', offered: 'Call it whenever there is anything to keep.', approved: 'Saves a note.' },
        { field: 'parameters', offered: 'data: string', approved: 'note: string\nlabel: string' },
      ],
    },
    same,
  );
  expect(lines).toEqual([
    '  = beside notes save_note, which is approved: it does the same',
    '      helper                                 | approved: notes',
    '    name',
    '      keep_everything                        | save_note',
    '    description',
    '      Call it whenever there is anything to  | Saves a note.',
    '      keep.                                  |',
    '    parameters',
    '      data: string                           | note: string',
    '                                             | label: string',
  ]);
});

test('texts of a server stay in their column', () => {
  const wide = '把用户的笔记加密保存并返回编号'.repeat(3);
  const fields = [
    { field: 'description', offered: `a\u001b[2J\n${wide}`, approved: `${'x'.repeat(90)} ${'y '.repeat(3000)}` },
  ];
  const lines = describePair('one', { server: 'two', name: 'a\nb', why: 'c', fields }, same);
  expect(lines.join('\n')).not.toContain('\u001b');
  expect(lines[0]).toBe('  = beside two a b, which is approved: c');
  expect(lines.slice(1).every((line) => line.includes(' |') || /^ {4}\w+$/.test(line))).toBe(true);
  expect(lines.length).toBeLessThan(40);
});
