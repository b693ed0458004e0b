import { call, type Task, task, type World } from '../world.ts';
import { fileCalls } from './file-calls.ts';

/** Notes, memory and thinking. */
export function knowledgeTasks(world: World): readonly Task[] {
  const { read, write, list } = fileCalls(world);
  const thought = (text: string, at: number, of: number) =>
    call('thinking.sequentialthinking', {
      thought: text,
      thoughtNumber: at,
      totalThoughts: of,
      nextThoughtNeeded: at < of,
    });
  return [
    task(
      'summary-and-memory',
      'Summarise notes/meeting.md into notes/summary.md and remember the decisions.',
      call('files.list_allowed_directories'),
      read('notes/meeting.md'),
      write(
        'notes/summary.md',
        '# Summary\n\nThe release moves to 9 December. Bo takes SHOP-105.\n\nDecisions: no releases on Fridays; logs are kept for 30 days.\n',
      ),
      call('memory.create_entities', {
        entities: [
          {
            name: 'Release rules',
            entityType: 'decision',
            observations: ['no releases on Fridays any more', 'logs are kept for 30 days'],
          },
        ],
      }),
      call('memory.read_graph'),
    ),
    task(
      'who-is-bo',
      'Remember that Bo works in the shop team and knows the export well.',
      call('memory.search_nodes', { query: 'Bo' }),
      call('memory.create_entities', {
        entities: [{ name: 'Bo', entityType: 'person', observations: ['works in the shop team'] }],
      }),
      call('memory.add_observations', {
        observations: [{ entityName: 'Bo', contents: ['knows the export well'] }],
      }),
      call('memory.open_nodes', { names: ['Bo'] }),
    ),
    task(
      'relate-people',
      'Ada leads the platform team. Remember it, with Bo as her colleague.',
      call('memory.open_nodes', { names: ['Ada', 'Bo'] }),
      call('memory.create_entities', {
        entities: [
          { name: 'Ada', entityType: 'person', observations: ['leads the platform team'] },
          { name: 'platform', entityType: 'team', observations: [] },
        ],
      }),
      call('memory.create_relations', {
        relations: [
          { from: 'Ada', to: 'platform', relationType: 'leads' },
          { from: 'Ada', to: 'Bo', relationType: 'colleague of' },
        ],
      }),
    ),
    task(
      'correct-memory',
      'Bo does not work in the shop team any more but in the office. Correct that in your memory.',
      call('memory.search_nodes', { query: 'Bo' }),
      call('memory.delete_observations', {
        deletions: [{ entityName: 'Bo', observations: ['works in the shop team'] }],
      }),
      call('memory.add_observations', { observations: [{ entityName: 'Bo', contents: ['works in the office'] }] }),
    ),
    task(
      'add-note',
      'Make a note: the coffee machine is repaired on Thursday. Is there a note about the retro as well?',
      call('notes.add_note', { title: 'Coffee machine', text: 'It is repaired on Thursday.', tags: ['office'] }),
      call('notes.search_notes', { query: 'retro' }),
    ),
    task(
      'append-retro',
      'Append to the retro note: the planning takes one hour now.',
      call('notes.search_notes', { query: 'retro' }),
      call('notes.append_to_note', (seen) => ({
        id: Number(seen.find(0, /"id": (\d+)/)),
        text: 'The planning takes one hour now.',
      })),
    ),
    task(
      'plan-the-release',
      'Think through what has to be done for the release on 9 December and write the plan to notes/release-plan.md.',
      read('notes/meeting.md'),
      thought('What has to be done before the release on 9 December? The export bug comes first.', 1, 3),
      thought('Then dependencies, then the release notes. Friday is no day for releases.', 2, 3),
      thought('The plan: bug, dependencies, notes, release on Wednesday.', 3, 3),
      write(
        'notes/release-plan.md',
        '# Release\n\n1. Export bug\n2. Dependencies\n3. Release notes\n4. Release on 9 December\n',
      ),
    ),
    task(
      'notes-to-memory',
      'Go through my notes folder and remember the ideas.',
      list('notes'),
      read('notes/ideas.md'),
      read('notes/todo.md'),
      call('memory.create_entities', (seen) => ({
        entities: [
          {
            name: 'Ideas',
            entityType: 'list',
            observations: seen
              .text(1)
              .split('\n')
              .filter((line) => /^\d/.test(line)),
          },
        ],
      })),
    ),
    task(
      'echo-and-sum',
      'Try out the everything server: echo "hello team" and add 2 and 40.',
      call('everything.echo', { message: 'hello team' }),
      call('everything.get-sum', { a: 2, b: 40 }),
      call('everything.get-tiny-image'),
      call('everything.get-structured-content', { location: 'Chicago' }),
    ),
  ];
}
