// Makes a few large files of the built program and its libraries: it starts in half the time of a thousand small ones, and
// needs 38 MB less (measured). What programs start is packages/sallyport/bin/sallyport.js. Needs the build.
// Does nothing when the bundle is newer than all it is made of.
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../', import.meta.url));
const dist = join(root, 'packages/sallyport/dist');
const out = join(dist, 'bundle');
/** Written last: an interrupted run leaves none. */
const NOTICES = join(out, 'LICENSES.txt');
if (isFresh()) process.exit(0);
const { rolldown } = await import('rolldown');
const LIBRARIES = `${sep}node_modules${sep}`;

/** Beside each other, since they find each other from where they stand: packages/sallyport/dist has the same places. */
const ENTRIES = {
  'cli/main': 'cli/main.js',
  'chunks/schema-worker': 'guard/schema/schema-worker.js',
  'chunks/read-worker': 'app/read-worker.js',
  'chunks/script-worker': 'call/script/script-worker.js',
  'chunks/run-servers': 'drill/run-servers.js',
};

const bundle = await rolldown({
  input: Object.fromEntries(Object.entries(ENTRIES).map(([name, file]) => [name, join(dist, file)])),
  platform: 'node',
  // They bring machine code and WebAssembly of their own.
  external: [/^@photostructure\/sqlite/, /^@cedar-policy\//],
});
rmSync(out, { recursive: true, force: true });
const { output } = await bundle.write({ dir: out, format: 'esm', chunkFileNames: 'chunks/[name].js' });
await bundle.close();

const packages = new Set(output.flatMap(({ moduleIds = [] }) => moduleIds.flatMap(toPackage)));
writeFileSync(NOTICES, [...packages].sort().map(toNotice).join('\n\n'));

function isFresh() {
  const made = statSync(NOTICES, { throwIfNoEntry: false })?.mtimeMs;
  if (made === undefined) return false;
  const built = readdirSync(dist, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.js') && !name.startsWith('bundle'))
    .map((name) => join(dist, name));
  const sources = [...built, fileURLToPath(import.meta.url), join(root, 'node_modules/.package-lock.json')];
  return sources.every((file) => (statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0) < made);
}

/** The folder of the package that a module is of; none for our own. */
function toPackage(id) {
  const at = id.lastIndexOf(LIBRARIES);
  if (at < 0) return [];
  const [scope, name] = id.slice(at + LIBRARIES.length).split(sep);
  return [join(id.slice(0, at + LIBRARIES.length), scope.startsWith('@') ? join(scope, name) : scope)];
}

/** What the licences of libraries ask of whoever passes them on. */
function toNotice(folder) {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const file = readdirSync(folder).find((one) => /^licen[cs]e/i.test(one));
  const text = file === undefined ? '' : readFileSync(join(folder, file), 'utf8');
  return `${name} ${version} (${license})\n\n${text}`;
}
