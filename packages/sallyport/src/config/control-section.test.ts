import { expect, test } from 'vitest';
import { DEFAULT_CONTROL } from './control-section.ts';
import { loadSnapshot } from './load-snapshot.ts';

const load = (control: unknown) =>
  loadSnapshot({ text: JSON.stringify({ control }), file: '/etc/sallyport.json', env: {}, stateDir: '/s', version: 1 });

test('groups have the roles they are named after', () => {
  expect(DEFAULT_CONTROL.roles).toEqual({ viewer: ['viewer'], operator: ['operator'], admin: ['admin'] });
  expect(load({}).control).toEqual(DEFAULT_CONTROL);
});

test('or those the file gives them; a role it does not name keeps its group', () => {
  const { control } = load({ roles: { viewer: ['everyone'], operator: [] } });
  expect(control?.roles).toEqual({ viewer: ['everyone'], operator: [], admin: ['admin'] });
});

test.each([
  [{ roles: { owner: ['a'] } }, /owner/],
  [{ roles: { admin: 'a' } }, /admin/],
  [{ roles: { admin: [''] } }, /admin/],
  [{ role: {} }, /role/],
])('%j is refused', (control, message) => {
  expect(() => load(control)).toThrow(message);
});
