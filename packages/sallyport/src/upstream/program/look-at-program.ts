import { createHash } from 'node:crypto';
import { realpath, stat } from 'node:fs/promises';
import { basename, delimiter, dirname, join, resolve } from 'node:path';
import { type Language, readCommand, type StartedProgram } from '../../config/read-command.ts';
import type { Transport } from '../../config/settings.ts';
import type { JsonObject } from '../../core/json.ts';
import { findProgram, readInterpreter } from '../find-program.ts';
import { FileDigests, findCode } from './file-digests.ts';
import { findImage } from './find-image.ts';
import { findImports } from './find-imports.ts';
import { findNpmPackage } from './find-npm-package.ts';
import { findCachedWheel, findOwner } from './find-python-package.ts';
import { findPackageFolder, isWhole, type Manifest, readIntegrity, readManifest } from './manifest.ts';

/** What a stdio command would run at this moment. */
export type SeenProgram =
  | { readonly kind: 'known'; readonly facts: ProgramFacts }
  /** It will be fetched by the start. `partial`: what npx has unpacked of it so far. */
  | { readonly kind: 'absent'; readonly runs: string; readonly how: string; readonly partial?: ProgramFacts }
  | { readonly kind: 'opaque'; readonly facts: ProgramFacts; readonly reason: string };

/** Becomes a definition: what stands here is compared, shown field by field, and approved. */
export interface ProgramFacts extends JsonObject {
  readonly runs: string;
}

/** Of one package. */
const MAX_PROGRAMS = 100;

type Environment = Readonly<Record<string, string | undefined>>;

interface Place {
  readonly cwd: string;
  readonly environment: Environment;
  readonly digests: FileDigests;
}

/** Finds out without starting anything of the server. The interpreter and the runner themselves are not looked at. */
export class ProgramLooker {
  readonly #digests = new FileDigests();

  /** @param environment of the child. `undefined`: nothing is started here. */
  async look(transport: Transport, environment: Environment): Promise<SeenProgram | undefined> {
    const program = readCommand(transport);
    if (program === undefined || transport.type !== 'stdio') return undefined;
    const place = { cwd: resolve(transport.cwd ?? '.'), environment, digests: this.#digests };
    try {
      return await lookAt(program, place);
    } catch (error) {
      const reason = error instanceof RangeError ? error.message : `it cannot be read (${toCode(error)})`;
      return opaque(transport.command, reason);
    }
  }
}

function lookAt(program: StartedProgram, place: Place): Promise<SeenProgram> | SeenProgram {
  switch (program.kind) {
    case 'package':
      return program.found.registry === 'npm' ? lookAtNpm(program, place) : lookAtPython(program, place);
    case 'script':
      return lookAtScript(program, place);
    case 'inline': {
      const digest = createHash('sha256').update(JSON.stringify(program.code)).digest('hex');
      return known({ runs: `${program.interpreter} with code in its arguments`, digest: `sha256:${digest}` });
    }
    case 'folder':
      return lookAtFolder(resolve(place.cwd, program.path), place);
    case 'image':
      return lookAtImage(program, place);
    case 'executable':
      return lookAtExecutable(program.command, place);
    case 'opaque':
      return opaque('a command', program.reason);
  }
}

async function lookAtNpm(
  { runner, spec, found }: Extract<StartedProgram, { kind: 'package' }>,
  place: Place,
): Promise<SeenProgram> {
  const runs = `npm:${found.name}@${found.version ?? '*'}`;
  if (runner !== 'npx' && runner !== 'npm') return opaque(runs, `where "${runner}" keeps it is not known`);
  const npx = findOnPath(runner, place);
  const manifest = await findNpmPackage({ found, spec, ...place, runner: npx });
  const how = `npx --yes --package=${spec} -c true`;
  if (manifest === undefined) return { kind: 'absent', runs, how };
  const seen = known(await describePackage(manifest, [], place), found.version === undefined);
  if (seen.kind !== 'known' || !isInNpxCache(manifest) || (await isWhole(manifest))) return seen;
  return { kind: 'absent', runs, how, partial: seen.facts };
}

/** Elsewhere whoever installs a package has ended before Sallyport starts it. */
function isInNpxCache({ folder }: Manifest): boolean {
  return /[\\/]_npx[\\/][0-9a-f]{16}[\\/]node_modules[\\/]/.test(folder);
}

async function findPrograms(folder: string, names: readonly string[]): Promise<readonly string[]> {
  if (names.length > MAX_PROGRAMS) throw new RangeError(`it has more than ${MAX_PROGRAMS} programs`);
  const found = await Promise.all(
    names.map(async (name) => {
      const file = await realpath(join(folder, name)).catch(() => undefined);
      return file !== undefined && (await stat(file)).isFile() ? file : undefined;
    }),
  );
  return found.filter((file) => file !== undefined);
}

/** @param started files that run whatever they are called: programs mostly have no ending */
async function describePackage(
  manifest: Manifest,
  started: readonly string[],
  { digests }: Place,
): Promise<ProgramFacts> {
  const folder = await realpath(manifest.folder);
  const programs = await findPrograms(folder, manifest.programFiles);
  const code = new Set([...(await findCode(folder)), ...programs, ...started]);
  const { digest, files } = await digests.digestAll(folder, code);
  const integrity = await readIntegrity(manifest.folder);
  return {
    runs: `npm:${manifest.name}@${manifest.version}`,
    ...(integrity === undefined ? {} : { integrity }),
    ...{ files, digest },
  };
}

async function lookAtPython(
  { runner, found }: Extract<StartedProgram, { kind: 'package' }>,
  { environment }: Place,
): Promise<SeenProgram> {
  const runs = `pypi:${found.name}@${found.version ?? '*'}`;
  if (runner === 'pipx') return opaque(runs, 'where pipx keeps it is not known');
  const wheel = await findCachedWheel(found, environment);
  if (wheel === undefined) return { kind: 'absent', runs, how: `uvx --from ${found.spec} python -c ""` };
  return known({ runs: `pypi:${wheel.name}@${wheel.version}`, digest: wheel.record }, found.version === undefined);
}

async function lookAtScript(
  { candidates, also, language }: Extract<StartedProgram, { kind: 'script' }>,
  place: Place,
): Promise<SeenProgram> {
  const files = candidates.map((name) => resolve(place.cwd, name));
  for (const file of files) {
    if ((await stat(file).catch(() => undefined))?.isFile() !== true) continue;
    const loaded = await findFiles(
      also.filter((name) => /^\.{0,2}\//.test(name)),
      place,
    );
    return known(await describeScript(await realpath(file), loaded, { language, place }));
  }
  const folder = files[0];
  if (folder !== undefined && (await stat(folder).catch(() => undefined))?.isDirectory())
    return lookAtFolder(folder, place);
  return opaque(candidates[0] ?? 'a script', 'there is no such file');
}

async function findFiles(names: readonly string[], { cwd }: Place): Promise<readonly string[]> {
  return Promise.all(names.map((name) => realpath(resolve(cwd, name))));
}

async function describeScript(
  file: string,
  loaded: readonly string[],
  { language, place }: { readonly language: Language; readonly place: Place },
): Promise<ProgramFacts> {
  const folder = findPackageFolder(file);
  const manifest = folder === undefined ? undefined : await readManifest(folder);
  if (manifest !== undefined) return describePackage(manifest, [file, ...loaded], place);
  const { files, packages } = await findImports([file, ...loaded], language);
  const all = await place.digests.digestAll(dirname(file), files);
  return {
    runs: `file:${basename(file)}`,
    files: all.files,
    digest: all.digest,
    ...(packages.size === 0
      ? {}
      : { packages: Object.fromEntries([...packages].sort(([a], [b]) => (a < b ? -1 : 1))) }),
  };
}

async function lookAtFolder(folder: string, { digests }: Place): Promise<SeenProgram> {
  const root = await realpath(folder);
  const programs = await findPrograms(root, (await readManifest(root))?.programFiles ?? []);
  const code = new Set([...(await findCode(root)), ...programs]);
  return known({ runs: `folder:${basename(root)}`, ...(await digests.digestAll(root, code)) });
}

async function lookAtImage(
  { engine, image }: Extract<StartedProgram, { kind: 'image' }>,
  { environment }: Place,
): Promise<SeenProgram> {
  const digest = await findImage(engine, image, environment);
  const runs = `image:${image}`;
  if (digest === undefined) return { kind: 'absent', runs, how: `${engine} pull ${image}` };
  return known({ runs, digest }, !image.includes('@'));
}

async function lookAtExecutable(command: string, place: Place): Promise<SeenProgram> {
  const path = findOnPath(command, place);
  if (path === undefined) return opaque(command, 'it is not found');
  const file = await realpath(path);
  const interpreter = basename(readInterpreter(file) ?? '');
  if (/^(?:python|pypy)/.test(interpreter)) {
    const owner = await findOwner(path);
    if (owner !== undefined) return known({ runs: `pypi:${owner.name}@${owner.version}`, digest: owner.record });
  }
  const language = /^(?:python|pypy)/.test(interpreter)
    ? 'python'
    : /^(?:node|bun|deno|tsx)/.test(interpreter)
      ? 'javascript'
      : 'other';
  return known(await describeScript(file, [], { language, place }));
}

function findOnPath(command: string, { cwd, environment }: Place): string | undefined {
  const extensions = process.platform === 'win32' ? (environment['PATHEXT'] ?? '.EXE;.CMD').split(';') : [];
  const path = environment['PATH'] ?? environment['Path'] ?? ['/usr/bin', '/bin'].join(delimiter);
  const found = findProgram({ command, cwd, path, extensions });
  return found.kind === 'found' ? found.path : undefined;
}

function known(facts: ProgramFacts, isFloating = false): SeenProgram {
  return { kind: 'known', facts: isFloating ? { ...facts, floating: true } : facts };
}

function opaque(runs: string, reason: string): SeenProgram {
  // A whole command line written where the program belongs may hold a secret.
  const shown = basename(runs.replace(/\s.*$/s, ' …'));
  return { kind: 'opaque', facts: { runs: shown, opaque: reason }, reason };
}

function toCode(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
}
