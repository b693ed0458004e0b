import { parseArgs } from 'node:util';

export type EraFlag = 'legacy' | 'modern' | 'both';
export type TransportFlag = 'stdio' | 'http' | 'sse';

export interface Flags {
  readonly transport: TransportFlag;
  readonly era: EraFlag;
  readonly port: number;
  readonly stateless: boolean;
  readonly pageSize: number;
}

export const usage =
  'usage: conformance-mcp-server [--transport stdio|http|sse] [--era legacy|modern|both] [--port 0] [--stateless] [--page-size 0]';

/** Throws with a message for people when a flag is not understood. */
export function parseFlags(args: readonly string[]): Flags {
  const { values } = parseArgs({
    args: [...args],
    options: {
      transport: { type: 'string', default: 'stdio' },
      era: { type: 'string', default: 'both' },
      port: { type: 'string', default: '0' },
      stateless: { type: 'boolean', default: false },
      'page-size': { type: 'string', default: '0' },
    },
  });
  const transport = choose('transport', values.transport, ['stdio', 'http', 'sse']);
  const era = choose('era', transport === 'sse' ? 'legacy' : values.era, ['legacy', 'modern', 'both']);
  return {
    transport,
    era,
    port: toCount('port', values.port, 65_535),
    stateless: values.stateless,
    pageSize: toCount('page-size', values['page-size'], 10_000),
  };
}

function choose<const Choice extends string>(flag: string, value: string, choices: readonly Choice[]): Choice {
  const found = choices.find((choice) => choice === value);
  if (found === undefined) throw new Error(`--${flag} must be one of ${choices.join(', ')}`);
  return found;
}

function toCount(flag: string, value: string, most: number): number {
  const count = /^\d{1,6}$/.test(value) ? Number(value) : Number.NaN;
  if (!(count <= most)) throw new Error(`--${flag} must be a number up to ${most}`);
  return count;
}
