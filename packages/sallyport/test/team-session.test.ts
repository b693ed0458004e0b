import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { keyHolder } from './keyed-callers.ts';
import { PlainClient, textOf } from './plain-client.ts';
import { newTestFolder, startGateway } from './running-sallyport.ts';

const require = createRequire(import.meta.url);

it('an honest session with the settings of the guide for teams needs no approval', async () => {
  const folder = newTestFolder();
  const shared = join(folder, 'shared');
  mkdirSync(shared);
  writeFileSync(
    join(shared, 'notes.md'),
    '# Monday\nAda is on call. See https://status.team.example, or ask ops@team.example.\n',
  );
  const server = (name: string, ...args: string[]) => ({
    command: process.execPath,
    args: [require.resolve(`@modelcontextprotocol/server-${name}/dist/index.js`), ...args],
  });
  const gateway = await startGateway({
    mcpServers: {
      files: server('filesystem', shared),
      memory: { ...server('memory'), env: { MEMORY_FILE_PATH: join(folder, 'memory.jsonl') } },
    },
    policy: { set: 'team' },
    approvals: { selfApproval: false },
    limits: { rules: [{ name: 'each-caller', per: 'principal', rate: '120/min' }] },
    audit: { mode: 'strict' },
  } as Record<string, unknown>);
  const ada = await keyHolder(gateway, 'ada', ['--person', 'ada@example.com', '--group', 'writers']);
  const client = await new PlainClient(ada).initialize();
  const done = async (name: string, given: Record<string, unknown>) => {
    const answer = await client.call(name, given);
    expect(answer.result, textOf(answer)).not.toHaveProperty('isError');
    return textOf(answer);
  };
  expect(await done('files_list_directory', { path: shared })).toContain('notes.md');
  expect(await done('files_read_text_file', { path: join(shared, 'notes.md') })).toContain('on call');
  const summary = 'Ada is on call this week; ops@team.example answers questions.';
  await done('files_write_file', { path: join(shared, 'summary.md'), content: summary });
  const entity = { name: 'Ada', entityType: 'person', observations: ['is on call this week'] };
  await done('memory_create_entities', { entities: [entity] });
  await done('memory_add_observations', { observations: [{ entityName: 'Ada', contents: ['reached by ops'] }] });
  expect(await done('memory_read_graph', {})).toContain('on call');
  const edits = [{ oldText: 'this week', newText: 'until Friday' }];
  await done('files_edit_file', { path: join(shared, 'summary.md'), edits });
  expect(readFileSync(join(shared, 'summary.md'), 'utf8')).toContain('until Friday');
});
