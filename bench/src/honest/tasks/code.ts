import { call, type Task, task, type World } from '../world.ts';
import { fileCalls } from './file-calls.ts';

/** Code and its history. */
export function codeTasks(world: World): readonly Task[] {
  const { at, read, write, edit } = fileCalls(world);
  const shop = at('shop');
  const git = (tool: string, args: object = {}) => call(`git.git_${tool}`, { path: shop, ...args });
  const fix: readonly [string, string] = [
    '  // TODO: Firefox has no rows.at\n  const last = rows.at(-1);',
    '  const last = rows[rows.length - 1];',
  ];
  return [
    task(
      'fix-export',
      'There is a bug in the export of the shop: old Firefox has no rows.at. Fix it in src/export.ts.',
      call('files.search_files', { path: shop, pattern: '**/*.ts' }),
      read('shop/src/export.ts'),
      call('files.edit_file', {
        path: at('shop/src/export.ts'),
        edits: [{ oldText: fix[0], newText: fix[1] }],
        dryRun: true,
      }),
      edit('shop/src/export.ts', fix),
      read('shop/src/export.ts'),
      git('diff'),
    ),
    task(
      'commit-fix',
      'Commit the fix of the export with the message "Export: do without rows.at".',
      git('status'),
      git('add', { paths: ['src/export.ts'] }),
      git('commit', { message: 'Export: do without rows.at' }),
      git('log', { maxCount: 2 }),
    ),
    task(
      'what-changed',
      'What changed in the shop repository since the first commit? Put it into notes/changes.md.',
      git('status'),
      git('log', { maxCount: 10 }),
      git('diff', { target: 'HEAD~2' }),
      write('notes/changes.md', '# Changes\n\n- vouchers are described\n- the README points to them\n'),
    ),
    task(
      'explain-guard',
      'What does src/guard.ts in the shop do? Who wrote it?',
      read('shop/src/guard.ts'),
      git('blame', { filePath: 'src/guard.ts' }),
    ),
    task(
      'rename-function',
      'Rename the function total in src/cart.ts to cartTotal, everywhere.',
      call('files.search_files', { path: shop, pattern: '**/*.ts' }),
      call('files.read_multiple_files', { paths: [at('shop/src/cart.ts'), at('shop/src/export.ts')] }),
      edit('shop/src/cart.ts', ['export function total(', 'export function cartTotal(']),
      git('diff'),
    ),
    task(
      'new-branch',
      'Start a branch feature/pdf in the shop and add an empty src/pdf.ts there.',
      git('branch', { mode: 'show-current' }),
      git('checkout', { target: 'feature/pdf', createBranch: true }),
      write('shop/src/pdf.ts', 'export {};\n'),
      git('status'),
      git('checkout', { target: 'main' }),
    ),
    task(
      'delete-branch',
      'Delete the branch old-export of the shop.',
      git('branch', { mode: 'list' }),
      git('branch', { mode: 'delete', branchName: 'old-export' }),
    ),
    task(
      'tag-release',
      'Tag the current state of the shop as v4.2.2.',
      git('tag', { mode: 'list' }),
      git('tag', { mode: 'create', tagName: 'v4.2.2' }),
      call('calc.semver', { action: 'compare', version: '4.2.1', version2: '4.2.2' }),
    ),
    task(
      'save-button',
      'The save button of src/page.html needs the class "primary". Add it.',
      read('shop/src/page.html'),
      edit('shop/src/page.html', ['<button onclick="save()">', '<button class="primary" onclick="save()">']),
      read('shop/src/page.html'),
    ),
    task(
      'deploy-script',
      'Explain scripts/deploy.sh and docs/export.md of the shop, and add a line to the README that names the script.',
      read('shop/scripts/deploy.sh'),
      read('shop/docs/export.md'),
      read('shop/README.md'),
      edit('shop/README.md', ['## Export', '## Deploy\n\nSee scripts/deploy.sh.\n\n## Export']),
    ),
    task(
      'bump-version',
      'Set the version of the shop to 4.3.0 as CONTRIBUTING.md asks for.',
      read('shop/CONTRIBUTING.md'),
      read('shop/package.json'),
      edit('shop/package.json', ['"version": "4.2.1"', '"version": "4.3.0"']),
      git('diff'),
    ),
    task(
      'wrong-commit',
      'Show me the commit abc1234 of the shop, or else the latest one.',
      git('show', { object: 'abc1234' }),
      git('log', { maxCount: 1 }),
      git('show', { object: 'HEAD' }),
    ),
  ];
}
