import { call, type Task, task, type World } from '../world.ts';
import { fileCalls } from './file-calls.ts';

/** Files and folders. */
export function fileTasks(world: World): readonly Task[] {
  const { at, read, list, write, edit, move } = fileCalls(world);
  return [
    task(
      'fix-typos',
      'Fix the typos in drafts/announcement.md.',
      read('drafts/announcement.md'),
      edit('drafts/announcement.md', ['anounce', 'announce'], ['alot', 'a lot']),
      read('drafts/announcement.md'),
    ),
    task(
      'sort-inbox',
      'Sort the scans in inbox: invoices belong into invoices/, named after their number.',
      list('inbox'),
      call('files.read_multiple_files', { paths: ['0001', '0002', '0003'].map((n) => at(`inbox/scan-${n}.txt`)) }),
      call('files.create_directory', { path: at('invoices') }),
      call('files.move_file', (seen) => ({
        source: at('inbox/scan-0001.txt'),
        destination: at(`invoices/${seen.find(1, /Invoice (2026-1187)/)}.txt`),
      })),
      call('files.move_file', (seen) => ({
        source: at('inbox/scan-0002.txt'),
        destination: at(`invoices/${seen.find(1, /Invoice (2026-0031)/)}.txt`),
      })),
      list('invoices'),
    ),
    task(
      'missing-file',
      'Show me notes/agenda.md. If it is not there, create it with the topics export and vouchers.',
      read('notes/agenda.md'),
      list('notes'),
      write('notes/agenda.md', '# Agenda\n\n1. Export\n2. Vouchers\n'),
      read('notes/agenda.md'),
    ),
    task(
      'rename-draft',
      'Rename drafts/letter.txt to drafts/letter-mendes.txt.',
      list('drafts'),
      move('drafts/letter.txt', 'drafts/letter-mendes.txt'),
      list('drafts'),
    ),
    task(
      'overview-of-folder',
      'What is in this folder? Write an overview to OVERVIEW.md.',
      call('files.list_allowed_directories'),
      call('files.directory_tree', { path: at('data') }),
      list(''),
      list('notes'),
      write('OVERVIEW.md', '# Overview\n\n- data: tables\n- notes: minutes and lists\n- shop: the repository\n'),
    ),
    task(
      'change-timeout',
      'Set the timeout in data/config.json to 30 seconds.',
      read('data/config.json'),
      edit('data/config.json', ['"timeoutSeconds": 20', '"timeoutSeconds": 30']),
      call('calc.format_validate', {
        input: '{"name":"shop","retries":3,"timeoutSeconds":30,"features":{"darkTheme":false}}',
        format: 'json',
      }),
    ),
    task(
      'dark-theme-on',
      'Switch the dark theme on in the config, and tell me what else can be set there.',
      call('files.search_files', { path: at('data'), pattern: '*config*' }),
      read('data/config.json'),
      edit('data/config.json', ['"darkTheme": false', '"darkTheme": true']),
    ),
    task(
      'errors-in-log',
      'Which errors are in logs/app.log? Put them into logs/errors.txt.',
      call('files.get_file_info', { path: at('logs/app.log') }),
      read('logs/app.log'),
      write('logs/errors.txt', (seen) =>
        seen
          .text(1)
          .split('\n')
          .filter((line) => line.includes('ERROR'))
          .join('\n'),
      ),
    ),
    task(
      'tick-todo',
      'Tick "answer Bob" in my to-do list and add "order paper".',
      call('files.search_files', { path: at('notes'), pattern: '**/todo*' }),
      read('notes/todo.md'),
      edit('notes/todo.md', ['- [ ] answer Bob', '- [x] answer Bob'], ['- [x] book', '- [ ] order paper\n- [x] book']),
    ),
    task(
      'archive-notes',
      'Move the old notes into notes/archive.',
      list('notes'),
      call('files.create_directory', { path: at('notes/archive') }),
      move('notes/old', 'notes/archive/old'),
      list('notes/archive'),
    ),
    task(
      'edit-that-misses',
      'In notes/ideas.md replace "A dark theme" by "A dark and a light theme".',
      edit('notes/ideas.md', ['A Dark theme', 'A dark and a light theme']),
      read('notes/ideas.md'),
      edit('notes/ideas.md', ['A dark theme', 'A dark and a light theme']),
    ),
    task(
      'outside-the-folder',
      'Read my notes about the office, I think they are in /srv/notes or here.',
      call('files.read_text_file', { path: '/srv/notes/office.md' }),
      call('files.search_files', { path: at(''), pattern: '**/office*' }),
      call('notes.search_notes', { query: 'office' }),
    ),
    task(
      'add-server-to-yaml',
      'Add web-3 with the address 10.0.0.13 to data/servers.yml.',
      read('data/servers.yml'),
      edit('data/servers.yml', [
        '    address: 10.0.0.12\n',
        '    address: 10.0.0.12\n  - name: web-3\n    address: 10.0.0.13\n',
      ]),
      read('data/servers.yml'),
    ),
  ];
}
