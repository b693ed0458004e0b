import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../core/json.ts';
import { readDefinition } from './classify-definition.ts';
import type { Change } from './read-change.ts';

const withArguments = (name: string, ...names: string[]): JsonObject => ({
  name,
  inputSchema: { type: 'object', properties: Object.fromEntries(names.map((one) => [one, { type: 'string' }])) },
});

describe('what a definition shows of a change', () => {
  test.each<[JsonObject, Change]>([
    [{ name: 'book_hotel' }, 'reaches'],
    [{ name: 'unlock_door' }, 'reaches'],
    [{ name: 'set_device_state' }, 'reaches'],
    [{ name: 'merge_pull_request' }, 'reaches'],
    [{ name: 'add_issue_comment' }, 'reaches'],
    [{ name: 'git_push', description: 'Pushes commits to a remote.' }, 'reaches'],
    [withArguments('create_mail_rule', 'pattern', 'forward_to'), 'invites'],
    [withArguments('create_event', 'title', 'attendees'), 'invites'],
    [{ name: 'run_sql' }, 'runs'],
    [{ name: 'write_file' }, 'keeps'],
    [{ name: 'create_entities' }, 'keeps'],
    [{ name: 'todo_write' }, 'keeps'],
    [{ name: 'git_commit' }, 'keeps'],
    [{ name: 'save_memory' }, 'keeps'],
  ])('%j', (definition, change) => {
    expect(readDefinition(definition).change).toBe(change);
  });
});

describe('no change, and no hint needed to know it', () => {
  test.each<[JsonObject]>([
    [{ name: 'add', description: 'Adds two numbers.', annotations: { readOnlyHint: true } }],
    [{ name: 'multiply', description: 'Multiplies two numbers.' }],
    [{ name: 'generate_uuid' }],
    [{ name: 'create_chart' }],
    [{ name: 'generate_bar_chart', description: 'Generates a bar chart.' }],
    [{ name: 'sequentialthinking', description: 'A detailed tool for thinking step by step.' }],
    [{ name: 'current_time' }],
    [{ name: 'echo', description: 'Echoes back the input.' }],
    [{ name: 'translate_text' }],
    [{ name: 'resolve-library-id' }],
    [{ name: 'take_screenshot' }],
  ])('%j', (definition) => {
    expect(readDefinition(definition).change).toBe('none');
  });
});
