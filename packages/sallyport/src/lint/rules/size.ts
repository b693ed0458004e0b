import { estimateTokens } from '../../core/estimate-tokens.ts';
import { forEachTool, type Rule } from '../rule.ts';
import { example } from './examples.ts';

const TOOL = 1_500;
/** Five per cent of a context of 200,000 tokens, in every request. */
const SERVER = 10_000;

/** What definitions cost in the context of a model. */
export const SIZE_RULES: readonly Rule[] = [
  forEachTool({
    id: 'size/tool',
    level: 'warning',
    requires: `A definition has at most about ${TOOL.toLocaleString('en')} tokens`,
    why: 'It is part of every request to the model, whether the tool is used or not.',
    fix: 'Shorten descriptions, hide parameters that hardly change, or split the tool.',
    good: [example()],
    bad: [example({ description: 'Returns the forecast of a city. '.repeat(220) })],
    *checkTool(tool) {
      const tokens = estimateTokens(tool);
      if (tokens > TOOL) yield { message: `It has about ${tokens} tokens.` };
    },
  }),
  {
    id: 'size/server',
    level: 'warning',
    requires: `The tools of a server have at most about ${SERVER.toLocaleString('en')} tokens`,
    why: 'They are part of every request of every conversation.',
    fix: 'Offer fewer tools, or let clients choose with a parameter or a second server.',
    good: [example()],
    bad: Array.from({ length: 40 }, (_, i) =>
      example({
        name: `weather_get_part${i}`,
        description: `Returns part ${i}. `.repeat(70),
        inputSchema: { type: 'object' },
      }),
    ),
    *check({ tools }) {
      const tokens = tools.reduce((sum, tool) => sum + estimateTokens(tool), 0);
      if (tokens > SERVER) yield { message: `Its ${tools.length} tools have about ${tokens} tokens.` };
    },
  },
];
