import { readFileSync } from 'node:fs';
import type { ToolExample } from './server-tests.ts';

const BLOCK = /^```json\n([\s\S]*?)^```$/gm;

/** The examples in a README: its `json` blocks with `tool`, `input`, and `output` or `error`. @throws Error when there are none */
export function readExamples(file: URL | string): readonly ToolExample[] {
  const blocks = [...readFileSync(file, 'utf8').matchAll(BLOCK)].map(([, text = '']) => JSON.parse(text) as unknown);
  const examples = blocks.filter((block): block is ToolExample & { error?: string } => isExample(block));
  if (examples.length === 0) throw new Error(`${String(file)} has no examples: json blocks with "tool" and "input"`);
  return examples.map(({ error, ...example }) =>
    error === undefined ? example : { ...example, error: new RegExp(error) },
  );
}

function isExample(block: unknown): boolean {
  return typeof block === 'object' && block !== null && 'tool' in block && 'input' in block;
}
