import type { ToolFace } from '../../core/tool-face.ts';
import { parameterDocsOf } from './parameter-docs.ts';
import { toTerms } from './tokens.ts';

export interface Field {
  readonly read: (tool: ToolFace) => string;
  /** Default `toTerms`. */
  readonly split?: (text: string) => readonly string[];
  readonly weight: number;
  /** Terms a usual tool has there. Fixed, so that adding a tool changes no other one's weights. */
  readonly usualLength: number;
  /** How much a longer text is worth less, 0 to 1 (b of BM25F). */
  readonly flattening: number;
}

/** Terms of one field that count: who writes more is not found by more. */
const MAX_TERMS = 160;
/** How often one term counts in one field. */
const MAX_TIMES = 3;
/** A text of three words is worth no more than twice a usual one. */
const MIN_FLATTENED = 0.5;
const MAX_NAME = 256;
const MAX_PARAMETERS = 200;
/** Characters of a description: what a tool is for stands at the beginning. */
const MAX_TEXT = 600;

/** What is searched. Weights as measured for discovery; a name says more of a tool than its manual. */
export const FIELDS: readonly Field[] = [
  { read: ({ name }) => name.slice(0, MAX_NAME), weight: 4, usualLength: 3, flattening: 0.4 },
  { read: ({ title }) => title.slice(0, MAX_NAME), weight: 2, usualLength: 3, flattening: 0.4 },
  { read: ({ description }) => description.slice(0, MAX_TEXT), weight: 2, usualLength: 25, flattening: 0.5 },
  {
    read: ({ parameters }) => parameters.slice(0, MAX_PARAMETERS).join(' '),
    weight: 1,
    usualLength: 5,
    flattening: 0.5,
  },
  { read: parameterDocsOf, weight: 1, usualLength: 25, flattening: 0.5 },
  { read: ({ server }) => server.slice(0, MAX_NAME), weight: 1, usualLength: 2, flattening: 0.4 },
];

/** Tells each term and its weight in this tool: frequencies of all fields, weighed and flattened by length (Robertson et al. 2004, BM25F). */
export function weighTerms(
  tool: ToolFace,
  fields: readonly Field[],
  note: (term: string, weight: number) => void,
): void {
  const weights = new Map<string, number>();
  for (const { read, split = toTerms, weight, usualLength, flattening } of fields) {
    const text = read(tool);
    if (text === '') continue;
    const terms = split(text);
    const count = Math.min(terms.length, MAX_TERMS);
    const one = weight / Math.max(MIN_FLATTENED, 1 - flattening + (flattening * count) / usualLength);
    const counts = count > MAX_TIMES ? new Map<string, number>() : undefined;
    for (let i = 0; i < count; i++) {
      const term = terms[i] ?? '';
      const times = (counts?.get(term) ?? 0) + 1;
      counts?.set(term, times);
      if (times <= MAX_TIMES) weights.set(term, (weights.get(term) ?? 0) + one);
    }
  }
  for (const [term, weight] of weights) note(term, weight);
}
