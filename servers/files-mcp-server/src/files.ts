import { randomUUID } from 'node:crypto';
import { lstat, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import {
  defineServer,
  defineTool,
  fail,
  field,
  formatInput,
  openRoots,
  page,
  pageInput,
  pageOutput,
  type Roots,
  ToolFailure,
  z,
} from '@sallyport/kit';

const path = z.string().min(1).max(4_096);
const READS = { readOnly: true, destructive: false, idempotent: true, openWorld: false };
const CHUNK = 20_000;
/** A result has at most 25,000 characters, and quotes and line ends take two of them each. */
const MAX_JSON = 24_000;

const listFolder = (roots: Roots) =>
  defineTool({
    name: 'files_list_folder',
    title: 'List a folder',
    description: 'Lists the files and folders in a folder, by name, page by page.',
    input: {
      path: field('The folder, for example "notes"; "." is the first folder of the server', path.default('.')),
      ...pageInput,
      ...formatInput,
    },
    output: pageOutput(
      'What is in the folder',
      field(
        'One of them',
        z.object({
          name: z.string().describe('Its name'),
          kind: z.enum(['file', 'folder', 'other']).describe('What it is'),
          bytes: z.number().describe('Size of a file'),
        }),
      ),
    ),
    hints: READS,
    async run({ path: folder, ...range }) {
      const at = await roots.resolve(folder);
      const names = (await readdir(at).catch((error: unknown) => explain(folder, error))).sort();
      return page(
        range,
        ({ limit, offset }) =>
          Promise.all(
            names.slice(offset, offset + limit).map(async (name) => {
              const found = await lstat(join(at, name)).catch(() => undefined);
              // It was deleted since the folder was read.
              if (found === undefined) return { name, kind: 'other' as const, bytes: 0 };
              const kind = found.isFile()
                ? ('file' as const)
                : found.isDirectory()
                  ? ('folder' as const)
                  : ('other' as const);
              return { name, kind, bytes: found.isFile() ? found.size : 0 };
            }),
          ),
        () => names.length,
      );
    },
  });

const readText = (roots: Roots) =>
  defineTool({
    name: 'files_read_text',
    title: 'Read a text file',
    description: `Reads a text file in UTF-8, at most ${CHUNK} bytes at once. For the rest, call it again with next_offset.`,
    input: {
      path: field('The file, for example "notes/todo.md"', path),
      offset: field('Byte to begin at', z.number().int().min(0).default(0)),
    },
    output: {
      text: field('The text', z.string()),
      bytes: field('Size of the whole file', z.number()),
      next_offset: field('Where the rest begins, if there is more', z.number().optional()),
    },
    hints: READS,
    async run({ path: file, offset }) {
      const handle = await roots.open(file).catch((error: unknown) => explain(file, error));
      try {
        const found = await handle.stat();
        const { buffer, bytesRead } = await handle.read(Buffer.alloc(CHUNK), 0, CHUNK, offset);
        const text = toText(file, buffer.subarray(0, bytesRead), offset + bytesRead < found.size);
        const next = offset + Buffer.byteLength(text);
        return { text, bytes: found.size, ...(next < found.size ? { next_offset: next } : {}) };
      } finally {
        await handle.close();
      }
    },
  });

const writeText = (roots: Roots) =>
  defineTool({
    name: 'files_write_text',
    title: 'Write a text file',
    description:
      'Writes a text file, and overwrites one that is there. A reader sees the old or the new file, never half of one.',
    input: {
      path: field('The file, for example "notes/todo.md"; its folder must exist', path),
      text: field('The whole new text', z.string().max(1_000_000)),
    },
    output: { path: field('The file that was written', z.string()), bytes: field('Its size', z.number()) },
    hints: { readOnly: false, destructive: true, idempotent: true, openWorld: false },
    async run({ path: file, text }) {
      const at = await roots.resolve(file);
      const part = join(dirname(at), `.${randomUUID()}.part`);
      try {
        const { mode = 0o666 } = await stat(at).catch(() => ({}) as { mode?: number });
        // `wx` makes a new file: nothing that lies there is followed or overwritten.
        await writeFile(part, text, { flag: 'wx', flush: true, mode: mode & 0o777 }).catch((error: unknown) =>
          explain(file, error),
        );
        await rename(part, at).catch((error: unknown) => explain(file, error));
      } finally {
        await rm(part, { force: true });
      }
      return { path: file, bytes: Buffer.byteLength(text) };
    },
  });

const deleteFile = (roots: Roots) =>
  defineTool({
    name: 'delete_file',
    title: 'Delete a file',
    description: 'Deletes one file for good. It deletes no folders. Ask the user before you call it.',
    input: { path: field('The file, for example "notes/old.md"', path) },
    output: { deleted: field('The file that was deleted', z.string()) },
    hints: { readOnly: false, destructive: true, idempotent: false, openWorld: false },
    async run({ path: file }) {
      await roots.resolve(file);
      // The link, not what it leads to.
      const at = join(await roots.resolve(dirname(file)), basename(file));
      const found = await lstat(at).catch((error: unknown) => explain(file, error));
      if (!found.isFile() && !found.isSymbolicLink())
        fail(`"${file}" is not a file.`, 'Call files_list_folder to see what is there.');
      await rm(at);
      return { deleted: file };
    },
  });

/** As much of a part as a result can hold. @throws ToolFailure when it is not text */
function toText(file: string, bytes: Buffer, isMore: boolean): string {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  let end = wholeCharacters(bytes, isMore);
  try {
    for (;;) {
      const text = decoder.decode(bytes.subarray(0, end));
      if (JSON.stringify(text).length <= MAX_JSON) return text;
      end = wholeCharacters(bytes.subarray(0, Math.floor(end * 0.8)), true);
    }
  } catch {
    return fail(`"${file}" is not text in UTF-8.`, 'Tell the user that the file is binary.');
  }
}

/** A character may be cut by the end of what was read: it belongs to the next part. */
function wholeCharacters(bytes: Buffer, isMore: boolean): number {
  if (!isMore) return bytes.length;
  let end = bytes.length;
  while (end > bytes.length - 4 && end > 0 && ((bytes[end - 1] ?? 0) & 0xc0) === 0x80) end--;
  const lead = bytes[end - 1] ?? 0;
  const needs = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc0 ? 2 : 1;
  return bytes.length - (end - 1) >= needs ? bytes.length : end - 1;
}

function explain(file: string, error: unknown): never {
  if (error instanceof ToolFailure) throw error;
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'ENOENT') return fail(`There is no "${file}".`, 'Call files_list_folder to see what is there.');
  if (code === 'ENOTDIR' || code === 'EISDIR')
    return fail(
      `"${file}" is ${code === 'EISDIR' ? 'a folder' : 'not a folder'}.`,
      'Call files_list_folder to see what is there.',
    );
  if (code === 'EACCES' || code === 'EPERM')
    return fail(`The server may not touch "${file}".`, 'Tell the user that the rights of the file forbid it.');
  if (code === 'ENOSPC') return fail('The disk is full, and the file was not changed.', 'Tell the user to make room.');
  if (code === 'ENAMETOOLONG') return fail('The name is too long.', 'Use a shorter name.');
  throw error;
}

/** @param folders the folders that may be read and written */
export async function files(folders: readonly string[]) {
  const roots = await openRoots(folders);
  const tools = [listFolder, readText, writeText, deleteFile].map((make) => make(roots));
  return defineServer({
    name: 'files-mcp-server',
    version: '1.0.0',
    instructions: `Files in ${roots.folders.join(', ')}.`,
    tools,
  });
}
