import { isObject, member } from '../../core/json.ts';
import type { Request } from '../../core/message.ts';
import { reparse } from '../../upstream/request-meta.ts';
import type { OwnAsking, OwnTool } from '../own-tool.ts';
import { isSearching, modeOf } from './discovery-mode.ts';
import { toMistake } from './to-text.ts';

const NAME = 'call_tool';

/**
 * A call of it is taken apart before anything else happens to it (`unwrapCall`), so that guards, records and people see the
 * tool that is called. Only what cannot be taken apart comes here.
 */
export const CALL_TOOL: OwnTool = {
  name: NAME,
  definition: {
    name: NAME,
    description: 'Calls a tool by its name, with its arguments.',
    inputSchema: {
      type: 'object',
      properties: { name: { type: 'string' }, arguments: { type: 'object' } },
      required: ['name'],
    },
  },
  isOffered: (asking) => modeOf(asking) !== 'off',
  isListed: isSearching,
  answer: () => toMistake('call_tool does not call itself. Give the name of a tool that find_tools found.'),
};

/**
 * The call inside a call of `call_tool`, under the same id and with everything beside it (`_meta`, task, responses); the same
 * object for every other request, and for what is no call.
 */
export function unwrapCall(request: Request, asking: OwnAsking): Request {
  if (request.method !== 'tools/call' || request.params['name'] !== NAME || modeOf(asking) === 'off') return request;
  const holder = request.param('arguments');
  const wrapped = request.params['arguments'];
  const name = member(wrapped, 'name');
  const given = member(wrapped, 'arguments');
  // call_tool itself refuses these, and says what is wrong.
  if (holder === undefined || typeof name !== 'string' || name === NAME || (given !== undefined && !isObject(given)))
    return request;
  const own = given === undefined ? '{}' : request.textInParam('arguments', 'arguments');
  return reparse(
    request.write(request.id, [
      request.setParam('name', JSON.stringify(name)),
      request.setParam('arguments', own ?? '{}'),
    ]),
  );
}
