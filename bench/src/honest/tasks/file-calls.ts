import { join } from 'node:path';
import { call, type Seen, type Step, type World } from '../world.ts';

/** Calls of the filesystem server with paths of the workspace, absolute as agents write them. */
export function fileCalls({ files }: World) {
  const at = (path: string) => join(files, path);
  return {
    at,
    read: (path: string) => call('files.read_text_file', { path: at(path) }),
    list: (path: string) => call('files.list_directory', { path: at(path) }),
    write: (path: string, content: string | ((seen: Seen) => string)): Step =>
      call('files.write_file', (seen) => ({
        path: at(path),
        content: typeof content === 'string' ? content : content(seen),
      })),
    edit: (path: string, ...edits: readonly (readonly [string, string])[]) =>
      call('files.edit_file', {
        path: at(path),
        edits: edits.map(([oldText, newText]) => ({ oldText, newText })),
      }),
    move: (source: string, destination: string) =>
      call('files.move_file', { source: at(source), destination: at(destination) }),
  };
}
