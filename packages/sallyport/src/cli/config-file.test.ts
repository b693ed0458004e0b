import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { watchConfig } from '../config/watch-config.ts';
import { writeFileAtomically } from '../storage/write-file.ts';
import { findConfigFile, findStateDir, newConfigFile, readConfigText, readSnapshot, watchFile } from './config-file.ts';

function folder(...files: string[]): string {
  const made = mkdtempSync(join(tmpdir(), 'sallyport-config-'));
  onTestFinished(() => rmSync(made, { recursive: true, force: true }));
  for (const file of files) {
    mkdirSync(join(made, file, '..'), { recursive: true });
    writeFileSync(join(made, file), '{}');
  }
  return made;
}

describe('where the configuration is', () => {
  const find = (root: string, named?: string, env: Record<string, string> = {}) =>
    findConfigFile(named, { env, cwd: join(root, 'cwd'), home: join(root, 'home') })?.slice(root.length);

  test('in this order', () => {
    const root = folder(
      'cwd/sallyport.yaml',
      'cwd/sallyport.json',
      'home/.config/sallyport/sallyport.json',
      'xdg/sallyport/sallyport.yml',
    );
    const xdg = { XDG_CONFIG_HOME: join(root, 'xdg') };
    expect(find(root, 'x.json', { SALLYPORT_CONFIG: 'y.json' })).toBe('/cwd/x.json');
    expect(find(root, undefined, { SALLYPORT_CONFIG: 'y.json' })).toBe('/cwd/y.json');
    expect(find(root, undefined, { SALLYPORT_CONFIG: '', ...xdg })).toBe('/cwd/sallyport.json');
    rmSync(join(root, 'cwd/sallyport.json'));
    expect(find(root)).toBe('/cwd/sallyport.yaml');
    rmSync(join(root, 'cwd/sallyport.yaml'));
    expect(find(root)).toBe('/home/.config/sallyport/sallyport.json');
    expect(find(root, undefined, xdg)).toBe('/xdg/sallyport/sallyport.yml');
    expect(find(root, undefined, { XDG_CONFIG_HOME: 'relative' })).toBe('/home/.config/sallyport/sallyport.json');
    expect(find(folder())).toBeUndefined();
  });

  test('and where it is made', () => {
    expect(newConfigFile({ env: {}, cwd: '/c', home: '/h' })).toBe('/h/.config/sallyport/sallyport.json');
  });

  test.each<[Record<string, string>, string]>([
    [{}, '/h/.local/state/sallyport'],
    [{ XDG_STATE_HOME: '/x' }, '/x/sallyport'],
    [{ XDG_STATE_HOME: 'x' }, '/h/.local/state/sallyport'],
    [{ SALLYPORT_STATE: 's', XDG_STATE_HOME: '/x' }, '/c/s'],
  ])('state with %j is in %s', (env, expected) => {
    expect(findStateDir({ env, cwd: '/c', home: '/h' })).toBe(expected);
  });

  test('a file that is not there', () => {
    expect(() => readConfigText('/no/such.json')).toThrow(
      expect.objectContaining({ code: 'config', message: 'There is no file /no/such.json.' }),
    );
    expect(() => readConfigText('/tmp')).toThrow(
      expect.objectContaining({ code: 'config', message: expect.stringContaining('cannot be read') }),
    );
  });
});

describe('writing', () => {
  test('readable by its owner only, links stay, nothing is left over', () => {
    const root = folder('real.json');
    chmodSync(join(root, 'real.json'), 0o644);
    symlinkSync('real.json', join(root, 'link.json'));
    writeFileAtomically(join(root, 'link.json'), 'new');
    expect(readFileSync(join(root, 'real.json'), 'utf8')).toBe('new');
    expect(statSync(join(root, 'real.json')).mode & 0o777).toBe(0o600);
    expect(lstatSync(join(root, 'link.json')).isSymbolicLink()).toBe(true);
    writeFileAtomically(join(root, 'a/b/new.json'), 'x');
    expect(statSync(join(root, 'a/b/new.json')).mode & 0o777).toBe(0o600);
  });

  test('where nothing can be written', () => {
    expect(() => writeFileAtomically(join(folder('file'), 'file', 'x.json'), '')).toThrow(
      expect.objectContaining({ code: 'config' }),
    );
  });
});

test.each([
  ['written in place', (file: string, text: string) => writeFileSync(file, text)],
  [
    'replaced by renaming, as editors do',
    (file: string, text: string) => {
      writeFileSync(`${file}~`, text);
      renameSync(`${file}~`, file);
    },
  ],
  ['written as this program does', writeFileAtomically],
])('a change is noticed: %s', async (_, change) => {
  const root = folder('sallyport.json');
  const file = join(root, 'sallyport.json');
  symlinkSync(file, join(folder(), 'link.json'));
  const request = { file, env: {}, stateDir: '/s' };
  const heard = new Promise<number>((resolve, reject) => {
    const watch = watchConfig({
      first: readSnapshot({ ...request, version: 1 }),
      load: async (version) => readSnapshot({ ...request, version }),
      watch: (onChange) => watchFile(file, onChange),
      publish: ({ gateway }) => gateway.port === 7 && resolve(gateway.port),
      refuse: reject,
      quietMs: 20,
    });
    onTestFinished(() => watch.close());
  });
  change(file, '{"gateway":{"port":7}}');
  expect(await heard).toBe(7);
});

test('a custom pattern that RE2 refuses is a problem of the file', () => {
  const file = join(folder('sallyport.json'), 'sallyport.json');
  const write = (pattern: string) =>
    writeFileSync(file, JSON.stringify({ secrets: { custom: [{ name: 'customer', pattern }] } }));
  const read = () => readSnapshot({ file, env: {}, stateDir: '/s', version: 1 });
  write('[\\u4e00-\\u9fff]{2}-[0-9]{4}');
  expect(read).toThrow(/secrets\.custom\.0\.pattern: is no pattern in RE2 syntax \(invalid escape sequence\)/);
  write('[\\x{4e00}-\\x{9fff}]{2}-[0-9]{4}');
  expect(read().secrets?.custom).toHaveLength(1);
});
