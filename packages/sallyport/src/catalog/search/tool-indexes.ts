import { createHash } from 'node:crypto';
import type { JsonObject } from '../../core/json.ts';
import { createPause, runPaced } from '../../core/pace.ts';
import type { ToolFace } from '../../core/tool-face.ts';
import type { ListedTool } from '../contract.ts';
import { toToolFace } from '../shadow/face.ts';
import { SearchIndex } from './search-index.ts';

/** An index of what one list shows, and the way back from what is found. */
export interface ToolIndex {
  readonly index: SearchIndex;
  /** `undefined`: the list does not show it. */
  listed(face: ToolFace): ListedTool | undefined;
}

interface Entry {
  readonly index: SearchIndex;
  /** Whose list it follows. */
  readonly owner: string;
  /** Of the tools in it, once the work is done. */
  fingerprint: string;
  /** How many those are. */
  size: number;
  faces: ReadonlyMap<string, ToolFace>;
  work: Promise<void>;
  /** By list: the way back. */
  readonly listed: WeakMap<readonly ListedTool[], ReadonlyMap<string, ListedTool>>;
}

/** Tools in all indexes together: one takes some kilobytes. */
const MAX_TOOLS = 50_000;

/**
 * The indexes in use. Callers whose lists show the same tools share one; callers with other rights have another, because how
 * rare a word is tells something of all tools in an index. When a list changes, its index follows at the cost of what changed.
 */
export class ToolIndexes {
  /** Least recently used first. */
  #entries: Entry[] = [];
  readonly #fingerprints = new WeakMap<readonly ListedTool[], string>();

  /**
   * @param owner whose list it is: the same text for the same caller at the same endpoint
   * @param tools as `View.listedTools` gives them: the same array while nothing changed
   */
  async find(owner: string, tools: readonly ListedTool[]): Promise<ToolIndex> {
    const fingerprint = this.#fingerprints.get(tools);
    const known = this.#entries.find((one) => one.fingerprint === fingerprint && one.listed.has(tools));
    const entry = known === undefined ? this.#open(owner, tools) : this.#use(known);
    const listed = entry.listed.get(tools);
    await entry.work;
    return { index: entry.index, listed: (face) => listed?.get(toKey(face)) };
  }

  #open(owner: string, tools: readonly ListedTool[]): Entry {
    const listed = new Map<string, ListedTool>();
    const faces = new Map<string, ToolFace>();
    const hash = createHash('sha256');
    for (const one of tools) {
      const face = toFace(one, (key) => faces.has(key));
      faces.set(toKey(face), face);
      listed.set(toKey(face), one);
      hash.update(JSON.stringify([toKey(face), one.tool.digest, face.title, one.description]));
    }
    const fingerprint = hash.digest('hex');
    const entry = this.#enter(owner, fingerprint, faces);
    entry.listed.set(tools, listed);
    this.#fingerprints.set(tools, fingerprint);
    return entry;
  }

  #enter(owner: string, fingerprint: string, faces: ReadonlyMap<string, ToolFace>): Entry {
    const same = this.#entries.find((one) => one.fingerprint === fingerprint);
    const entry = same ?? this.#entries.find((one) => one.owner === owner) ?? create(owner);
    if (entry !== same) {
      entry.fingerprint = fingerprint;
      entry.size = faces.size;
      entry.work = entry.work.then(() => runPaced(follow(entry, faces), createPause()));
    }
    return this.#use(entry);
  }

  /** It is the latest now; the oldest go where there are too many tools. */
  #use(entry: Entry): Entry {
    const others = this.#entries.filter((one) => one !== entry);
    let tools = entry.size;
    const kept: Entry[] = [entry];
    for (const one of others.reverse()) {
      tools += one.size;
      if (tools <= MAX_TOOLS) kept.unshift(one);
    }
    this.#entries = kept;
    return entry;
  }
}

function create(owner: string): Entry {
  return {
    index: new SearchIndex(),
    owner,
    fingerprint: '',
    size: 0,
    faces: new Map(),
    work: Promise.resolve(),
    listed: new WeakMap(),
  };
}

/** Makes these the tools of an index, one after the other. */
function* follow(entry: Entry, faces: ReadonlyMap<string, ToolFace>): Generator<undefined, void> {
  const before = entry.faces;
  entry.faces = faces;
  for (const [key, { server, name }] of before) {
    if (faces.has(key)) continue;
    entry.index.remove(server, name);
    yield;
  }
  for (const [key, face] of faces) {
    if (before.get(key) === face) continue;
    entry.index.add(face);
    yield;
  }
}

/** By definition, which outlives the lists that show it. */
const facesOf = new WeakMap<JsonObject, ToolFace>();

function toFace({ tool, description }: ListedTool, isTaken: (key: string) => boolean): ToolFace {
  const { upstream, name, publicName, definition } = tool;
  let face = facesOf.get(definition);
  if (face === undefined || face.server !== upstream) {
    face = toToolFace(upstream, definition);
    facesOf.set(definition, face);
  }
  // A bundle may call and describe it otherwise, or twice.
  const title = publicName.endsWith(name) ? face.title : `${publicName} ${face.title}`;
  const own = isTaken(toKey(face)) ? publicName : name;
  if (title === face.title && own === face.name && description === undefined) return face;
  return { ...face, name: own, title, description: description ?? face.description };
}

function toKey({ server, name }: Pick<ToolFace, 'server' | 'name'>): string {
  return `${server}\n${name}`;
}
