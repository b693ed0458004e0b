import type { TextRule } from './text-rules.ts';

/** A reason that lies in what a text holds, not in what it says. */
export type ShapeRule = Pick<TextRule, 'id' | 'owasp' | 'weight' | 'why'>;

export const HIDDEN: ShapeRule = {
  id: 'hidden-text',
  owasp: 'MCP06',
  weight: 1,
  why: 'It holds text that a model reads and a person cannot see.',
};
export const CODED_LINK: ShapeRule = {
  id: 'coded-link',
  owasp: 'MCP10',
  weight: 0.6,
  why: 'It holds an image or a link to be fetched in code that a person does not read.',
};
export const BLANK: ShapeRule = {
  id: 'address-to-fill-in',
  owasp: 'MCP10',
  weight: 0.6,
  why: 'It holds an address with a place to fill something in, which a client would fetch: data leaves that way.',
};
export const RUNS: ShapeRule = {
  id: 'html-that-runs',
  owasp: 'MCP06',
  weight: 0.5,
  why: 'It holds a piece of HTML that runs a script where it is shown.',
};
export const FILLED: ShapeRule = {
  id: 'told-to-fill-in',
  owasp: 'MCP10',
  weight: 0.6,
  why: 'It wants what was said, or what the user keeps, written into an address: data leaves that way.',
};

export const SHAPE_RULES: readonly ShapeRule[] = [HIDDEN, CODED_LINK, BLANK, RUNS, FILLED];
