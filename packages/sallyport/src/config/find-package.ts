import type { Transport } from './settings.ts';

/** The package a command downloads and runs. */
export interface StartedPackage {
  readonly registry: 'npm' | 'pypi';
  readonly name: string;
  /** `undefined`: whatever the registry says is newest, at every start. */
  readonly version: string | undefined;
  /** As it stands in the arguments. */
  readonly spec: string;
}

interface Runner {
  readonly registry: 'npm' | 'pypi';
  /** Words before the package; one of `leads` comes first. */
  readonly skip: readonly string[];
  readonly leads?: readonly string[];
}

const RUNNERS: ReadonlyMap<string, Runner> = new Map<string, Runner>([
  ['npx', { registry: 'npm', skip: [] }],
  ['pnpx', { registry: 'npm', skip: [] }],
  ['bunx', { registry: 'npm', skip: [] }],
  ['pnpm', { registry: 'npm', skip: ['dlx'], leads: ['dlx'] }],
  ['npm', { registry: 'npm', skip: ['exec', 'x'], leads: ['exec', 'x'] }],
  ['yarn', { registry: 'npm', skip: ['dlx'], leads: ['dlx'] }],
  ['uvx', { registry: 'pypi', skip: [] }],
  ['uv', { registry: 'pypi', skip: ['tool', 'run'], leads: ['tool'] }],
  ['pipx', { registry: 'pypi', skip: ['run'], leads: ['run'] }],
]);
/** Options that say which package, where the first plain word is the program in it. */
const NAMES_PACKAGE = {
  npm: new Set(['-p', '--package']),
  pypi: new Set(['--from', '--spec']),
};
/** Options whose next word is their value: it is no package, and the package comes after it. */
const TAKES_VALUE = {
  npm: new Set(
    '-c --call -w --workspace --registry --prefix -C --cache --userconfig --globalconfig --loglevel --node-options --script-shell --tag --before --omit --include'.split(
      ' ',
    ),
  ),
  pypi: new Set(
    '-p --python --with --with-editable --with-requirements -i --index-url --index --default-index --extra-index-url -f --find-links --cache-dir --directory --project --config-file --env-file -c --constraints --overrides -P --upgrade-package --refresh-package --pip-args --suffix --prerelease --resolution --exclude-newer --index-strategy'.split(
      ' ',
    ),
  ),
};
const EXACT = /^v?\d+\.\d+[\w.+-]*$/;

/** The package behind a stdio command; `undefined`: the command is a program on this machine, or no command at all. */
export function findPackage(transport: Transport): StartedPackage | undefined {
  if (transport.type !== 'stdio') return undefined;
  const program = transport.command.replace(/^.*[\\/]/, '').replace(/\.(?:cmd|exe|ps1)$/i, '');
  const runner = RUNNERS.get(program);
  if (runner === undefined) return undefined;
  const first = transport.args.find((word) => !word.startsWith('-'));
  // `npm run start` runs what stands in a file here, not a package.
  if (runner.leads !== undefined && !runner.leads.includes(first ?? '')) return undefined;
  const spec = findSpec(transport.args, runner);
  return spec === undefined ? undefined : toPackage(runner.registry, spec);
}

/** `npm:@scope/name@1.2.3`; a star where no exact version is named. */
export function toPackageName({ registry, name, version }: StartedPackage): string {
  return `${registry}:${name}@${version ?? '*'}`;
}

function findSpec(args: readonly string[], { registry, skip }: Runner): string | undefined {
  for (let i = 0; i < args.length; i++) {
    const word = args[i] ?? '';
    const [option = '', value] = word.split('=', 2);
    if (NAMES_PACKAGE[registry].has(option)) return word.includes('=') ? value : args[i + 1];
    if (TAKES_VALUE[registry].has(word)) i++;
    else if (!word.startsWith('-') && !skip.includes(word)) return word;
  }
  return undefined;
}

function toPackage(registry: 'npm' | 'pypi', spec: string): StartedPackage | undefined {
  // Folders, archives and repositories are not what a registry calls by version.
  if (/^[./~]|:\/\/|^(?:git|file|github):/.test(spec)) return undefined;
  const python = /^([^=<>!~@[\s]+)(?:\[[^\]]*\])?(?:==|@)(.+)$/.exec(spec);
  const at = spec.lastIndexOf('@');
  const [name, version] =
    registry === 'pypi'
      ? [python?.[1] ?? spec.replace(/[=<>!~@[\s].*$/, ''), python?.[2]]
      : at > 0
        ? [spec.slice(0, at), spec.slice(at + 1)]
        : [spec];
  return {
    registry,
    name: name ?? spec,
    version: version !== undefined && EXACT.test(version) ? version : undefined,
    spec,
  };
}
