import { expect, test } from 'vitest';
import { budgetFor, DEFAULT_RESULTS, resolveResults, resultsSchema } from './results-section.ts';

const NAMES = { servers: ['files', 'web'], bundles: ['small'] };

function resolve(written: unknown) {
  const problems: string[] = [];
  const settings = resolveResults(resultsSchema.parse(written), NAMES, (path, message) =>
    problems.push(`${path.join('.')}: ${message}`),
  );
  return { settings, problems };
}

test('the first rule that matches decides, and what it leaves out is as in the section', () => {
  const { settings, problems } = resolve({
    tokens: 50_000,
    rules: [
      { client: 'claude*', server: 'web', characters: 25_000 },
      { bundle: 'small', characters: 10_000, tokens: 0 },
      { server: 'files', tool: 'read_*', characters: 0 },
    ],
  });
  expect(problems).toEqual([]);
  const of = (clients: string[], server: string, tool = 't', bundle?: string) =>
    budgetFor(settings, { clients, server, tool, bundle });
  expect(of(['claude-code'], 'web')).toMatchObject({ characters: 25_000, tokens: 50_000 });
  expect(of(['other', 'claude'], 'web')).toMatchObject({ characters: 25_000 });
  expect(of(['claude-code'], 'files', 't', 'small')).toMatchObject({ characters: 10_000, tokens: 0 });
  expect(of(['x'], 'files', 'read_all')).toMatchObject({ characters: 0 });
  expect(of(['x'], 'files')).toMatchObject({ characters: 400_000, tokens: 50_000 });
});

test('rules that would never hold are problems', () => {
  expect(resolve({ rules: [{ server: 'mail' }, { bundle: 'big' }] }).problems).toEqual([
    'rules.0.server: matches no server of this file, so the rule would do nothing',
    'rules.1.bundle: matches no bundle of this file, so the rule would do nothing',
  ]);
});

test('a limit is 0 or large enough to say something', () => {
  expect(resultsSchema.safeParse({ characters: 100 }).success).toBe(false);
  expect(resultsSchema.safeParse({ characters: 0 }).success).toBe(true);
  expect(DEFAULT_RESULTS.characters).toBe(400_000);
});
