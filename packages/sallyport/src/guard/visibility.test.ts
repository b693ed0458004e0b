import { describe, expect, test } from 'vitest';
import { toCall, toTool } from '../../test/sample-call.ts';
import type { Envelope } from '../core/envelope.ts';
import { inspect } from './guard.ts';
import { type VisibilityPorts, visibility } from './visibility.ts';

const PORTS: VisibilityPorts = { isVisible: () => true };
const named = (name: string): Envelope => toCall({ tool: toTool({ name }) });

describe('attacks', () => {
  test.each<[string, Envelope, Partial<VisibilityPorts>, { code: string; reason: string }]>([
    [
      'a tool the catalogue set aside',
      toCall({ tool: toTool({ name: 'slow' }, { setAside: 'it is nested too deeply' }) }),
      {},
      {
        code: 'denied',
        reason:
          'The tool sample_slow is disabled: it is nested too deeply. Its server has to be repaired by a person (server sample, tool slow). Use another tool, or tell the user.',
      },
    ],
    [
      'a tool not there for this caller',
      named('hidden'),
      { isVisible: () => false },
      { code: 'not_found', reason: 'Unknown tool: sample_hidden. tools/list has the names.' },
    ],
    [
      'one that is hidden and set aside: only the first shows',
      toCall({ tool: toTool({ name: 'both' }, { setAside: 'why' }) }),
      { isVisible: () => false },
      { code: 'not_found', reason: 'Unknown tool: sample_both. tools/list has the names.' },
    ],
    [
      'an answer that is not yes',
      named('odd'),
      { isVisible: (() => 1) as unknown as () => boolean },
      { code: 'not_found', reason: 'Unknown tool: sample_odd. tools/list has the names.' },
    ],
  ])('%s', (_, call, ports, verdict) => {
    expect(inspect([visibility({ ...PORTS, ...ports })], call)).toMatchObject({ guard: 'visibility', verdict });
  });
});

describe('harmless', () => {
  test.each(['echo', 'constructor', '__proto__', 'set_aside'])('a visible tool called %s', (name) => {
    expect(inspect([visibility(PORTS)], named(name))).toMatchObject({ verdict: { kind: 'allow' } });
  });
});
