// Which unit tests can notice a fault in a file: those that import it, the nearest first.
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const IMPORT = /(?:^|\n)\s*(?:import|export)\s(?!type\b)[^;]*?from '(\.[^']+)'/g;
/** Threads and dynamic imports. */
const LOADED = /(?:import\(|new URL\()'(\.[^']+\.ts)'/g;

/** Tests of `packages/sallyport/test/` start the whole program. */
const UNIT_TEST = /[\\/]src[\\/].*\.test\.ts$/;

/** @returns the files of a folder, recursively */
export function filesIn(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .map((entry) => join(entry.parentPath, entry.name));
}

/**
 * @param {readonly string[]} files sources and tests, absolute
 * @returns {(file: string) => { test: string, distance: number }[]}
 */
export function createTestFinder(files) {
  const importers = new Map(files.map((file) => [file, []]));
  for (const file of files) {
    const text = readFileSync(file, 'utf8');
    for (const pattern of [IMPORT, LOADED])
      for (const [, path] of text.matchAll(pattern)) importers.get(join(dirname(file), path))?.push(file);
  }
  return (file) => {
    const found = [];
    const seen = new Set([file]);
    let layer = [file];
    for (let distance = 1; layer.length > 0; distance++) {
      layer = [...new Set(layer.flatMap((one) => importers.get(one) ?? []))].filter((one) => !seen.has(one));
      for (const one of layer) {
        seen.add(one);
        if (UNIT_TEST.test(one)) found.push({ test: one, distance });
      }
    }
    // Of tests as near, the one beside it.
    const beside = file.replace(/\.ts$/, '.test.ts');
    return found.sort((a, b) => a.distance - b.distance || Number(b.test === beside) - Number(a.test === beside));
  };
}
