import type { JsonObject } from '../../core/json.ts';

const GOOD: JsonObject = {
  name: 'weather_get_forecast',
  title: 'Get the forecast',
  description:
    'Returns the weather forecast of a city for up to seven days. Use it when the user asks about coming weather.',
  inputSchema: {
    type: 'object',
    properties: { city: { type: 'string', description: 'Name of the city, for example "Paris"' } },
    required: ['city'],
    additionalProperties: false,
  },
  outputSchema: {
    type: 'object',
    properties: { summary: { type: 'string', description: 'The forecast in one sentence' } },
    required: ['summary'],
  },
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: true },
};

/** A tool that keeps every rule, with some members changed. A member that is `undefined` is left out. */
export function example(changes: Readonly<Record<string, unknown>> = {}): JsonObject {
  const entries = Object.entries({ ...GOOD, ...changes }).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as JsonObject;
}

/** The good tool with other parameters. */
export function withParameters(
  properties: Readonly<Record<string, unknown>>,
  more: Readonly<Record<string, unknown>> = {},
): JsonObject {
  return example({ inputSchema: { type: 'object', properties, additionalProperties: false, ...more } });
}
