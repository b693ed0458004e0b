import { writeDecision } from './decision-record.ts';
import type { ControlPorts } from './ports.ts';
import type { Route, Schema } from './route.ts';

const DECISION: Schema = {
  type: 'object',
  additionalProperties: true,
  description: 'What the policies decided about one call, without its arguments.',
};

/** What the policies decided lately. */
export function policyRoutes({ decisions }: ControlPorts): readonly Route[] {
  return [
    {
      method: 'GET',
      path: '/policies/decisions',
      id: 'listDecisions',
      summary: 'What the policies decided about the last 1,000 calls, the newest first',
      role: 'viewer',
      query: [
        { name: 'callId', description: 'Only about this call, as the log names it.', schema: { type: 'string' } },
      ],
      result: { type: 'object', required: ['items'], properties: { items: { type: 'array', items: DECISION } } },
      handle: ({ query }) => {
        const callId = query.get('callId');
        return { items: (callId === null ? decisions.list() : decisions.find(callId)).map(writeDecision) };
      },
    },
  ];
}
