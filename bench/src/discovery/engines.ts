import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { load, type ToolFace } from '../detection/product.ts';
import { type Json, toText } from '../detection/read-rows.ts';
import { installPackage } from '../honest/install-servers.ts';
import type { Document } from './read-retrieval.ts';

/** Finds tools of one catalogue: their ids, best first. */
export type Find = (queries: readonly string[], most: number) => readonly string[];

export interface Engine {
  readonly name: string;
  open(documents: readonly Document[]): Find;
}

/** The index of the product, as far as this bench uses it. */
export interface ProductIndex {
  add(tool: ToolFace): void;
  replace(server: string, tools: Iterable<ToolFace>): void;
}
type FindTools = (
  index: ProductIndex,
  queries: readonly string[],
  options: { readonly most: number },
) => readonly { readonly tool: ToolFace; readonly twins: readonly ToolFace[] }[];

export interface Product extends Engine {
  /** The same; a tool that is named as the twin of another is found, too. */
  readonly withTwins: Engine;
  toFace(document: Document): ToolFace;
  createIndex(): ProductIndex;
  readonly findTools: FindTools;
}

export async function openProduct(): Promise<Product> {
  const findTools = await load<FindTools>('catalog/search/find-tools.js', 'findTools');
  const Index = await load<new () => ProductIndex>('catalog/search/search-index.js', 'SearchIndex');
  const toToolFace = await load<(server: string, definition: Json) => ToolFace>('catalog/shadow/face.js', 'toToolFace');
  const toFace = ({ server, definition }: Document) => toToolFace(server, definition);
  const open = (documents: readonly Document[], areTwinsFound: boolean): Find => {
    const index = new Index();
    const ids = new Map<ToolFace, string>();
    for (const document of documents) {
      const face = toFace(document);
      index.add(face);
      ids.set(face, document.id);
    }
    return (queries, most) =>
      findTools(index, queries, { most })
        .flatMap(({ tool, twins }) => (areTwinsFound ? [tool, ...twins] : [tool]))
        .map((tool) => ids.get(tool) ?? '');
  };
  return {
    name: 'sallyport',
    withTwins: { name: 'sallyport with twins', open: (documents) => open(documents, true) },
    toFace,
    createIndex: () => new Index(),
    findTools,
    open: (documents) => open(documents, false),
  };
}

/** BM25 as textbooks have it (k1 1.2, b 0.75) over name and description, words in lower case. */
export const PLAIN_BM25: Engine = {
  name: 'bm25',
  open(documents) {
    const texts = documents.map(({ definition }) => toWords(textOf(definition)));
    const mean = texts.reduce((sum, words) => sum + words.length, 0) / Math.max(1, texts.length);
    const postings = new Map<string, Map<number, number>>();
    for (const [at, words] of texts.entries())
      for (const word of words) {
        const of = postings.get(word) ?? new Map<number, number>();
        postings.set(word, of.set(at, (of.get(at) ?? 0) + 1));
      }
    return (queries, most) => {
      const scores = new Map<number, number>();
      for (const word of toWords(queries.join(' '))) {
        const having = postings.get(word);
        if (having === undefined) continue;
        const rarity = Math.log(1 + (texts.length - having.size + 0.5) / (having.size + 0.5));
        for (const [at, times] of having) {
          const length = 0.25 + (0.75 * (texts[at]?.length ?? 0)) / mean;
          scores.set(at, (scores.get(at) ?? 0) + (rarity * times * 2.2) / (times + 1.2 * length));
        }
      }
      const best = [...scores].sort((one, other) => other[1] - one[1]).slice(0, most);
      return best.map(([at]) => documents[at]?.id ?? '');
    };
  },
};

interface MiniSearch {
  addAll(documents: readonly object[]): void;
  search(query: string): readonly { readonly id: number }[];
}

/** minisearch with its defaults; `undefined` where it cannot be installed. */
export async function openMinisearch(cache: string, progress: (line: string) => void): Promise<Engine | undefined> {
  try {
    const wanted = { package: 'minisearch', version: '7.2.0' };
    const folder = await installPackage(wanted, { cache, places: {}, progress });
    const module = (await import(pathToFileURL(join(folder, 'dist/es/index.js')).href)) as {
      readonly default: new (options: { readonly fields: readonly string[] }) => MiniSearch;
    };
    return {
      name: 'minisearch',
      open(documents) {
        const index = new module.default({ fields: ['name', 'description'] });
        index.addAll(
          documents.map(({ definition }, id) => ({
            id,
            name: toText(definition['name']),
            description: toText(definition['description']),
          })),
        );
        return (queries, most) =>
          index
            .search(queries.join(' '))
            .slice(0, most)
            .map(({ id }) => documents[id]?.id ?? '');
      },
    };
  } catch (error) {
    progress(`minisearch is left out: ${error instanceof Error ? error.message.slice(0, 200) : String(error)}`);
    return undefined;
  }
}

function textOf(definition: Json): string {
  return `${toText(definition['name'])} ${toText(definition['description'])}`;
}

function toWords(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? [];
}
