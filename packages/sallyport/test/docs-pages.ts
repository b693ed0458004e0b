import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, posix, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const SOURCES = ['packages/sallyport', 'packages/sallyport/src'];

/** A fenced block of a page. */
export interface Block {
  readonly page: string;
  /** Of its first line inside the fence, from 1. */
  readonly line: number;
  readonly language: string;
  readonly text: string;
  /** The comment above it says that it is run. */
  readonly runs: boolean;
}

/** Guides, and the README of every folder; paths below the repository with `/`. */
export function listPages(): readonly string[] {
  const found: string[] = [];
  const walk = (folder: string, wanted: (name: string) => boolean): void => {
    for (const entry of readdirSync(join(ROOT, folder), { withFileTypes: true })) {
      const path = posix.join(folder, entry.name);
      if (entry.isDirectory() && !['node_modules', 'dist'].includes(entry.name)) walk(path, wanted);
      else if (entry.isFile() && wanted(entry.name)) found.push(path);
    }
  };
  for (const name of readdirSync(ROOT)) if (name.endsWith('.md')) found.push(name);
  walk('docs', (name) => name.endsWith('.md'));
  for (const folder of ['packages', 'servers', 'bench']) walk(folder, (name) => name === 'README.md');
  return found.filter((page) => page !== PACKED_README).sort();
}

/** A copy that stands there while npm packs. */
const PACKED_README = 'packages/sallyport/README.md';

export function readPage(page: string): string {
  return readFileSync(join(ROOT, page), 'utf8');
}

/** @throws Error for a fence without an end. */
export function toBlocks(page: string): readonly Block[] {
  const lines = readPage(page).split('\n');
  const blocks: Block[] = [];
  let above = '';
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? '';
    const [, indent, language] = /^(\s*)```(\w*)/.exec(line) ?? [];
    if (indent === undefined || language === undefined) {
      if (line.trim() !== '') above = line.trim();
      continue;
    }
    const end = lines.findIndex((each, index) => index > at && each === `${indent}\`\`\``);
    if (end < 0) throw new Error(`${page}:${at + 1}: the block has no end`);
    const text = lines
      .slice(at + 1, end)
      .map((each) => each.slice(indent.length))
      .join('\n');
    blocks.push({ page, line: at + 2, language, text, runs: above === '<!-- run -->' });
    above = '';
    at = end;
  }
  return blocks;
}

/** Blocks that are run: those of the guides, or those of all other pages. */
export function listRun(of: 'guides' | 'others'): readonly Block[] {
  const pages = listPages().filter((page) => page.startsWith('docs/guide-') === (of === 'guides'));
  return pages.flatMap(toBlocks).filter(({ runs }) => runs);
}

/** The page without its fenced blocks. */
function toProse(page: string): string {
  return readPage(page).replace(/^([ \t]*)```[\s\S]*?^\1```$/gm, '');
}

/** Folders whose names, first in a path, say that a path of the repository is meant. */
const PLACES = new Set(
  ['', ...SOURCES].flatMap((folder) =>
    readdirSync(join(ROOT, folder), { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && !['node_modules', 'dist', '.git'].includes(entry.name))
      .map((entry) => entry.name),
  ),
);

/** Paths of the repository that a page names in code type and that do not exist. */
export function findMissingPaths(page: string): readonly string[] {
  const bases = ['.', posix.dirname(page), ...SOURCES];
  return [...toProse(page).matchAll(/`([^`\n]+)`/g)]
    .map((match) => match[1] ?? '')
    .filter(isRepositoryPath)
    .filter((path) => !bases.some((base) => exists(posix.join(base, path))) && !isBelow(page, path));
}

/** A folder's README names the files of its folders without saying which. */
function isBelow(page: string, name: string): boolean {
  if (posix.basename(page) !== 'README.md' || page === 'README.md' || name.includes('/')) return false;
  return readdirSync(join(ROOT, posix.dirname(page)), { recursive: true, encoding: 'utf8' })
    .filter((path) => !/(^|[\\/])(node_modules|dist)[\\/]/.test(path))
    .some((path) => fits(posix.basename(path.replaceAll('\\', '/')), name));
}

function isRepositoryPath(text: string): boolean {
  if (!/^[A-Za-z0-9_.@*-]+(?:\/[A-Za-z0-9_.@*-]+)*\/?$/.test(text) || text.startsWith('@')) return false;
  if (/\.(?:ts|mjs)$/.test(text) && !text.startsWith('*')) return true;
  return text.includes('/') && PLACES.has(text.slice(0, text.indexOf('/')));
}

/** A `*` in the last part stands for anything. */
function exists(path: string): boolean {
  if (!path.includes('*')) return existsSync(join(ROOT, path));
  const folder = join(ROOT, posix.dirname(path));
  return existsSync(folder) && readdirSync(folder).some((name) => fits(name, posix.basename(path)));
}

function fits(name: string, pattern: string): boolean {
  const [head = '', tail] = pattern.split('*');
  return tail === undefined ? name === pattern : name.startsWith(head) && name.endsWith(tail);
}

/** Relative links of a page that lead nowhere. */
export function findDeadLinks(page: string): readonly string[] {
  const targets = [...toProse(page).matchAll(/\[[^\]]*\]\(([^)\s]+)\)|<img[^>]+src="([^"]+)"/g)];
  return targets
    .map((match) => match[1] ?? match[2] ?? '')
    .filter((target) => !/^[a-z]+:/i.test(target))
    .filter((target) => {
      const [path = '', anchor] = target.split('#');
      const file = path === '' ? page : posix.join(posix.dirname(page), path);
      if (!existsSync(join(ROOT, file)) || relative(ROOT, join(ROOT, file)).startsWith('..')) return true;
      return anchor !== undefined && !toAnchors(file).has(anchor);
    });
}

/** As GitHub makes them out of headings. */
function toAnchors(page: string): ReadonlySet<string> {
  return new Set(
    [...toProse(page).matchAll(/^#+ +(.+)$/gm)].map((match) =>
      (match[1] ?? '')
        .toLowerCase()
        .replace(/[^\p{L}\p{N} _-]/gu, '')
        .replaceAll(' ', '-'),
    ),
  );
}
