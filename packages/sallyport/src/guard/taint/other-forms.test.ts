import { expect, test } from 'vitest';
import type { Role } from '../../config/taint-section.ts';
import { otherForms } from './other-forms.ts';

test.each<[Role, string, readonly string[]]>([
  ['recipient', 'Bob <Bob@X.example>', ['bob@x.example']],
  ['recipient', 'bob@x.example', ['bob@x.example']],
  ['recipient', 'a@x.example, b@x.example', []],
  ['address', 'https://www.Example.com/Docs/', ['example.com/Docs']],
  ['address', 'example.com', ['example.com']],
  ['amount', '1,200.50', ['1200.5']],
  ['amount', '$1200.5', ['1200.5']],
  ['amount', '1200.50 EUR', ['1200.5']],
  ['path', './reports/today.md', ['reports/today.md']],
  ['path', '/work/reports/today.md', ['/work/reports/today.md', 'reports/today.md', '/work/reports']],
  ['path', '/work/reports/../../etc/hosts', ['/work/reports/../../etc/hosts']],
  ['command', 'npm test', []],
])('%s %s', (role, text, forms) => {
  expect(otherForms(text, role)).toEqual(forms);
});
