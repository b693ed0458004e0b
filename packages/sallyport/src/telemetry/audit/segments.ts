import { readdir } from 'node:fs/promises';

const NAME = /^(\d{12,16})-[0-9a-z]{6}\.jsonl$/;

/** A file of a chain is named after the first record it holds; the rest of the name keeps two attempts apart. */
export function toSegmentName(firstSeq: number, random: string): string {
  return `${String(firstSeq).padStart(12, '0')}-${random.slice(0, 6)}.jsonl`;
}

/** The segments of one chain in the order they were written. Other files of the folder are not part of it. */
export async function listSegments(folder: string): Promise<string[]> {
  try {
    return toSegments(await readdir(folder));
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
    throw error;
  }
}

function toSegments(names: readonly string[]): string[] {
  return names.filter((name) => NAME.test(name)).sort((a, b) => firstSeqOf(a) - firstSeqOf(b) || (a < b ? -1 : 1));
}

export function firstSeqOf(name: string): number {
  return Number(NAME.exec(name)?.[1] ?? 0);
}

/** The chains below an audit folder: one per program that wrote at the same time, named 0, 1, 2, … */
export async function listChains(directory: string): Promise<string[]> {
  try {
    const names = await readdir(directory);
    return names.filter((name) => /^\d{1,3}$/.test(name)).sort((a, b) => Number(a) - Number(b));
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
    throw error;
  }
}
