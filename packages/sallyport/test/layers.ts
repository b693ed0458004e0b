import { readdirSync, readFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { join, posix } from 'node:path';
import { type FoundImport, readSource, type Source } from './layers-imports.ts';

/** Where two rules of design.md "Who may import whom" meet the files. */
export interface Violation {
  readonly rule:
    | 'layer'
    | 'cycle'
    | 'library'
    | 'barrel'
    | 'protocol-date'
    | 'place'
    | 'path'
    | 'unreadable'
    | 'domain-io';
  readonly file: string;
  readonly line: number;
  readonly message: string;
}

/** Path below `src`, with `/` -> text. */
export type Tree = ReadonlyMap<string, string>;

const DOMAIN = ['core', 'config', 'catalog', 'guard'] as const;
const ADAPTERS = ['upstream', 'storage', 'state', 'telemetry'] as const;
const EVERYTHING = [...DOMAIN, ...ADAPTERS, 'call', 'gateway', 'control', 'host'] as const;

/** Folder, or file that stands alone in `src`, -> what it may import beside itself. Nothing else may exist. */
const MAY_IMPORT: ReadonlyMap<string, readonly string[]> = new Map<string, readonly string[]>([
  ['core', []],
  ['config', ['core']],
  ['catalog', ['core', 'config']],
  ['guard', ['core', 'config']],
  // The ports it implements are in core: nothing in the domain may depend on what an upstream looks like, nor the reverse.
  ['upstream', ['core', 'config']],
  ['storage', DOMAIN],
  ['state', DOMAIN],
  ['telemetry', DOMAIN],
  ['call', [...DOMAIN, ...ADAPTERS]],
  // Planes reach upstreams through `call` only; the gateway never sees storage.
  ['gateway', [...DOMAIN, 'state', 'telemetry', 'call']],
  ['host', [...DOMAIN, 'storage', 'state', 'telemetry', 'call']],
  ['control', [...DOMAIN, 'storage', 'state', 'telemetry', 'call', 'host']],
  // Reads definitions and says how to write them better: no part of a call.
  ['lint', ['core']],
  // The texts of a new server's files.
  ['scaffold', ['core']],
  ['version.ts', []],
  ['app', [...EVERYTHING, 'version.ts']],
  // Acts out the threats with the built program: it knows the wire, and nothing of what it tries.
  ['drill', ['core', 'upstream']],
  ['cli', [...EVERYTHING, 'version.ts', 'app', 'drill', 'lint', 'scaffold']],
]);

/** Only these may know the dates of protocol revisions. */
const KNOWS_DATES: ReadonlySet<string> = new Set(['upstream', 'gateway']);
/** The revisions there are; a date of any other kind may stand anywhere. */
const PROTOCOL_DATE = /\b(?:2024-11-05|2025-03-26|2025-06-18|2025-11-25|2026-07-28)\b/g;

/** No I/O of its own in the domain: files, sockets and processes come in as ports. Configuration is a file by nature. */
const NO_IO: ReadonlySet<string> = new Set(['core', 'catalog', 'guard']);
const IO_MODULES = /^node:(?:fs|net|tls|http|https|http2|dgram|dns|child_process|cluster|readline|repl|sqlite)(?:\/|$)/;

const BUILTIN: ReadonlySet<string> = new Set(builtinModules);

/** Reads a tree; fixtures carry a suffix after `.ts` that keeps every other tool away from them. */
export function readTree(root: string, suffix = ''): Tree {
  const files = new Map<string, string>();
  const walk = (folder: string): void => {
    for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
      const path = posix.join(folder, entry.name);
      if (entry.isDirectory()) walk(path);
      else if (/\.[mc]?tsx?$/.test(path.slice(0, path.length - suffix.length)) && path.endsWith(suffix))
        files.set(path.slice(0, path.length - suffix.length), readFileSync(join(root, path), 'utf8'));
    }
  };
  walk('');
  return files;
}

/** Every broken rule, in the order of the files. */
export function findViolations(tree: Tree): Violation[] {
  const violations: Violation[] = [];
  const sources = new Map<string, Source>();
  for (const [file, text] of tree) {
    try {
      sources.set(file, readSource(text));
    } catch (error) {
      violations.push({ rule: 'unreadable', file, line: 0, message: String(error) });
    }
  }
  const graph = new Map<string, string[]>();
  for (const [file, source] of sources) {
    const found = new FileCheck(file, tree);
    graph.set(file, found.run(source));
    violations.push(...found.violations);
  }
  return [...violations, ...findSpreadLibraries(sources), ...findCycles(graph)];
}

const isTest = (file: string): boolean => /\.test\.[mc]?tsx?$/.test(file);

/** The folder, or the file itself where it stands alone in `src`. */
const placeOf = (file: string): string => file.split('/', 1)[0] ?? '';

class FileCheck {
  readonly violations: Violation[] = [];
  readonly #file: string;
  readonly #place: string;
  readonly #tree: Tree;

  constructor(file: string, tree: Tree) {
    this.#file = file;
    this.#place = placeOf(file);
    this.#tree = tree;
  }

  /** Returns the files it imports. */
  run(source: Source): string[] {
    if (!MAY_IMPORT.has(this.#place)) this.#add('place', 0, `"${this.#place}" has no place in design.md`);
    this.#checkBarrel(source);
    if (!isTest(this.#file)) this.#checkDates(source.code);
    return source.imports.flatMap((found) => this.#checkImport(found) ?? []);
  }

  #add(rule: Violation['rule'], line: number, message: string): void {
    this.violations.push({ rule, file: this.#file, line, message });
  }

  #checkBarrel({ imports, ownExports }: Source): void {
    if (/(?:^|\/)index\.[mc]?tsx?$/.test(this.#file)) this.#add('barrel', 0, 'a file called index hides what it holds');
    const first = imports.find(({ kind }) => kind === 'export-from');
    if (first !== undefined && ownExports === 0)
      this.#add('barrel', first.line, 'exports only what other files export: import from those');
  }

  #checkDates(code: string): void {
    if (KNOWS_DATES.has(this.#place)) return;
    for (const [index, text] of code.split('\n').entries())
      for (const [date] of text.matchAll(PROTOCOL_DATE))
        this.#add('protocol-date', index + 1, `${date} belongs into upstream/ or gateway/`);
  }

  #checkImport({ specifier, line }: FoundImport): string | undefined {
    if (specifier === undefined) {
      this.#add('unreadable', line, 'an import whose target cannot be read');
      return undefined;
    }
    if (specifier.startsWith('.')) return this.#checkRelative(specifier, line);
    if (/^(?:[/#]|[a-z]+:)/.test(specifier) && !specifier.startsWith('node:'))
      this.#add('path', line, `"${specifier}" is no relative path and no package`);
    if (NO_IO.has(this.#place) && !isTest(this.#file) && IO_MODULES.test(toNodeName(specifier)))
      this.#add('domain-io', line, `${this.#place}/ does no I/O of its own, and "${specifier}" does`);
    return undefined;
  }

  #checkRelative(specifier: string, line: number): string | undefined {
    const target = posix.join(posix.dirname(this.#file), specifier);
    if (target.startsWith('..')) {
      const isSupport = isTest(this.#file) && /^\.\.\/test\//.test(target);
      if (!isSupport) this.#add('path', line, `"${specifier}" leaves src`);
      return undefined;
    }
    if (!this.#tree.has(target)) {
      this.#add('path', line, `"${specifier}" is no file; relative imports name the .ts file`);
      return undefined;
    }
    if (isTest(target)) this.#add('layer', line, `"${specifier}" is a test`);
    const place = placeOf(target);
    if (place !== this.#place && MAY_IMPORT.get(this.#place)?.includes(place) !== true)
      this.#add('layer', line, `${this.#place} may not import ${place}`);
    return target;
  }
}

function toNodeName(specifier: string): string {
  return BUILTIN.has(specifier) ? `node:${specifier}` : specifier;
}

/** One npm library, one folder: a swap or a CVE has one address. Tests may use what they like. */
function findSpreadLibraries(sources: ReadonlyMap<string, Source>): Violation[] {
  const homes = new Map<string, Map<string, { file: string; line: number }>>();
  for (const [file, { imports }] of sources) {
    if (isTest(file)) continue;
    for (const { specifier, line } of imports) {
      const library = toLibrary(specifier);
      if (library === undefined) continue;
      const places = homes.get(library) ?? new Map<string, { file: string; line: number }>();
      homes.set(library, places);
      if (!places.has(placeOf(file))) places.set(placeOf(file), { file, line });
    }
  }
  return [...homes].flatMap(([library, places]) => {
    if (places.size === 1) return [];
    const names = [...places.keys()].join(', ');
    return [...places.values()].map(
      ({ file, line }): Violation => ({ rule: 'library', file, line, message: `"${library}" is used in ${names}` }),
    );
  });
}

function toLibrary(specifier: string | undefined): string | undefined {
  if (specifier === undefined || /^(?:[./#]|[a-z]+:)/.test(specifier)) return undefined;
  const parts = specifier.split('/');
  const name = specifier.startsWith('@') ? parts.slice(0, 2).join('/') : parts[0];
  return name === undefined || BUILTIN.has(name) ? undefined : name;
}

/** Each cycle once, from the file where it was entered. */
function findCycles(graph: ReadonlyMap<string, readonly string[]>): Violation[] {
  const violations: Violation[] = [];
  const done = new Set<string>();
  const path: string[] = [];
  const visit = (file: string): void => {
    const start = path.indexOf(file);
    if (start >= 0) {
      const cycle = [...path.slice(start), file].join(' -> ');
      violations.push({ rule: 'cycle', file, line: 0, message: cycle });
      return;
    }
    if (done.has(file)) return;
    path.push(file);
    for (const target of graph.get(file) ?? []) visit(target);
    path.pop();
    done.add(file);
  };
  for (const file of graph.keys()) visit(file);
  return violations;
}
