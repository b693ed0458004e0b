import { describe, expect, test } from 'vitest';
import { DefinitionError, defineServer, defineTool, field, type ToolDefinition, z } from './kit.ts';

const text = field('The text', z.string());
const WRITES = { readOnly: false, destructive: false, idempotent: false, openWorld: false };
type Definition = ToolDefinition<{ text: typeof text }, { text: typeof text }>;

function define(change: Partial<Record<keyof Definition, unknown>>) {
  const whole: Definition = {
    name: 'notes_get_item',
    title: 'Get a note',
    description: 'Returns one note by its number.',
    input: { text },
    output: { text },
    hints: WRITES,
    run: (input) => input,
  };
  return defineTool({ ...whole, ...change } as Definition);
}

describe('a tool', () => {
  test.each([
    [{ name: 'get' }, /named \{service\}_\{action\}_\{resource\}/],
    [{ name: 'Notes_Get' }, /in lower case/],
    [{ name: `notes_${'x'.repeat(60)}` }, /at most 64 characters/],
    [{ name: 'notes__get' }, /for example "weather_get_forecast"/],
    [{ title: ' ' }, /the title is empty/],
    [{ description: 'Gets.' }, /fewer than 20 characters/],
    [{ input: { text: field(' ', z.string()) } }, /input\.text has no description/],
    [{ input: { text: field('A', z.object({ inner: z.string() })) } }, /input\.text\.inner has no description/],
    [{ output: { text: field('A', z.array(z.object({ inner: z.string() }))) } }, /output\.text\[\]\.inner has no/],
    [{ hints: { ...WRITES, readOnly: true, destructive: true } }, /both readOnly and destructive/],
    [{ retries: { times: 1, isTransient: () => true } }, /only work that is idempotent may be retried/],
    [{ task: { resumes: true } }, /only work that is idempotent may run again after a restart/],
    [{ hints: { ...WRITES, idempotent: true }, retries: { times: 11, isTransient: () => true } }, /Use 1 to 10/],
  ])('%o is refused', (change, error) => {
    expect(() => define(change)).toThrow(DefinitionError);
    expect(() => define(change)).toThrow(error);
  });

  test.each([
    { name: 'create_issue' },
    { task: true as const },
    { task: { resumes: true }, hints: { ...WRITES, idempotent: true } },
    { hints: { ...WRITES, readOnly: true }, retries: { times: 3, isTransient: () => true } },
  ])('%o is defined', (change) => {
    expect(() => define(change)).not.toThrow();
  });
});

test.each([
  ['notes', /named \{service\}-mcp-server.*"notes-mcp-server"/],
  ['NotesServer', /Write for example "notes-mcp-server"/],
  ['notes_mcp_server', /in lower case/],
])('the server name %s is refused', (name, error) => {
  expect(() => defineServer({ name, version: '1.0.0' })).toThrow(error);
});

test('two things with one name are refused', () => {
  expect(() => defineServer({ name: 'notes-mcp-server', version: '1', tools: [define({}), define({})] })).toThrow(
    /The tool "notes_get_item": two have this name/,
  );
});
