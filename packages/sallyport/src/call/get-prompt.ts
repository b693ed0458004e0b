import { FaultError } from '../core/errors.ts';
import { isObject, member } from '../core/json.ts';
import type { Answer } from '../core/message.ts';
import type { Inbound } from './inbound.ts';
import type { CallPorts } from './ports.ts';
import { mentionsNames, toPublicNames } from './public-names.ts';
import { sendRecorded } from './send-recorded.ts';
import { findUnreachableOwner } from './unreachable.ts';

/** The life of one prompts/get. */
export async function getPrompt(ports: CallPorts, inbound: Inbound): Promise<Answer> {
  const { request, view, endpoint } = inbound;
  const name = member(request.params, 'name');
  if (typeof name !== 'string')
    throw new FaultError('invalid_params', 'prompts/get needs "name": the name of a prompt from prompts/list.');
  const prompt = view.prompt(name);
  const held = view.whyHeld('prompts', name);
  if (held !== undefined) throw new FaultError('denied', held);
  if (prompt === undefined)
    throw (
      findUnreachableOwner(inbound, name, ports.texts) ??
      new FaultError('invalid_params', `Unknown prompt: ${name.slice(0, 128)}. prompts/list has the names.`)
    );
  const edits = prompt.name === name ? [] : [request.setParam('name', JSON.stringify(prompt.name))];
  const given = member(request.params, 'arguments');
  const answer = await sendRecorded(ports, inbound, {
    use: { kind: 'prompt', name, arguments: isObject(given) ? given : {} },
    upstream: prompt.upstream,
    edits,
    target: prompt.name,
    offer: 'prompt',
  });
  return endpoint.kind !== 'server' && mentionsNames(answer) ? toPublicNames(answer, view, prompt.upstream) : answer;
}
