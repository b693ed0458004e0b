import { addTo } from '../../core/add-to.ts';
import type { ToolFace } from '../../core/tool-face.ts';
import type { Field } from '../search/fields.ts';
import { SearchIndex } from '../search/search-index.ts';
import { toMeanings } from '../search/synonyms.ts';
import { toKey, toLookKey } from './compare-names.ts';
import { findMentions, type Mention } from './mentions.ts';
import type { Profile } from './profile.ts';

/** Tools of other servers that one is compared with in full, by likeness of their texts. */
const MOST_LIKE = 6;
/** Tools of the same name; more say nothing more. */
const MOST_NAMED = 20;
/** Terms of a text that are looked for. */
const MAX_TERMS = 60;
/** Entries of the index that are read for one tool: 500 newcomers beside 18,000 tools are compared in a fraction of a second. */
const MOST_READ = 6000;
const MAX_NAME = 256;
const MAX_PARAMETERS = 64;
/** What a tool is for stands at the beginning of its text. */
const MAX_TEXT = 600;

/** What is compared, by what its words mean; manuals of parameters are alike where tools are not. */
const FIELDS: readonly Field[] = [
  { read: ({ name }) => name.slice(0, MAX_NAME), weight: 4, usualLength: 3, flattening: 0.4 },
  { read: ({ description }) => description.slice(0, MAX_TEXT), weight: 2, usualLength: 25, flattening: 0.75 },
  {
    read: ({ parameters }) => parameters.slice(0, MAX_PARAMETERS).join(' '),
    weight: 1,
    usualLength: 5,
    flattening: 0.6,
  },
];
const COMPARED = FIELDS.map((field): Field => ({ ...field, split: toMeanings }));

type Names = Map<string, ToolFace[]>;

/** What one tool is compared with. */
export interface Near {
  readonly faces: ReadonlySet<ToolFace>;
  /** Names of them that stand in its text. */
  readonly mentions: readonly Mention[];
}

/** Tools, found by what a newcomer could take from them: name, look, text. */
export class ShadowIndex {
  readonly #search = new SearchIndex(COMPARED);
  readonly #byKey: Names = new Map();
  readonly #byLook: Names = new Map();
  readonly #own = new Map<string, Set<string>>();
  readonly #faces = new Set<ToolFace>();

  constructor(faces: Iterable<ToolFace> = []) {
    for (const face of faces) this.add(face);
  }

  has(face: ToolFace): boolean {
    return this.#faces.has(face);
  }

  get size(): number {
    return this.#faces.size;
  }

  faces(): IterableIterator<ToolFace> {
    return this.#faces.values();
  }

  add(face: ToolFace): void {
    const present = this.#search.get(face.server, face.name);
    if (present !== undefined) this.remove(present);
    this.#faces.add(face);
    this.#search.add(face);
    addTo(this.#byKey, toKey(face.name), face);
    addTo(this.#byLook, toLookKey(face.name), face);
    const own = this.#own.get(face.server) ?? new Set();
    this.#own.set(face.server, own);
    own.add(toKey(face.name));
  }

  remove(face: ToolFace): void {
    if (!this.#faces.delete(face)) return;
    this.#search.remove(face.server, face.name);
    take(this.#byKey, toKey(face.name), face);
    take(this.#byLook, toLookKey(face.name), face);
    this.#own.get(face.server)?.delete(toKey(face.name));
  }

  ownNames(server: string): ReadonlySet<string> {
    return this.#own.get(server) ?? NO_NAMES;
  }

  /** Tools of other servers worth comparing with this one. @param among left out: all */
  near({ tool, forms, said }: Profile, among?: ReadonlySet<ToolFace>): Near {
    const found = new Set<ToolFace>();
    const isVisible = (face: ToolFace) => face.server !== tool.server && among?.has(face) !== false;
    const addNamed = (faces: readonly ToolFace[] | undefined) => {
      let count = 0;
      for (const face of faces ?? []) {
        if (!isVisible(face)) continue;
        count += 1;
        if (count > MOST_NAMED) break;
        found.add(face);
      }
    };
    addNamed(this.#byKey.get(forms.key));
    addNamed(this.#byLook.get(forms.look));
    const mentions = findMentions(said, (key) => key !== forms.key && this.#byKey.has(key));
    for (const { key } of mentions) addNamed(this.#byKey.get(key));
    const terms = COMPARED.flatMap(({ read }) => toMeanings(read(tool))).slice(0, MAX_TERMS);
    const limits = { most: MOST_LIKE, mostPerServer: MOST_LIKE, isVisible, mostRead: MOST_READ };
    const query = new Map(terms.map((term) => [term, 1]));
    for (const { tool: face } of this.#search.search(query, limits)) found.add(face);
    return { faces: found, mentions };
  }
}

const NO_NAMES: ReadonlySet<string> = new Set();

function take(names: Names, key: string, face: ToolFace): void {
  const left = (names.get(key) ?? []).filter((one) => one !== face);
  if (left.length === 0) names.delete(key);
  else names.set(key, left);
}
