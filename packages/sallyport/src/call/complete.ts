import { FaultError } from '../core/errors.ts';
import { member } from '../core/json.ts';
import type { Answer } from '../core/message.ts';
import type { Inbound } from './inbound.ts';
import type { CallPorts } from './ports.ts';
import { type Sent, sendRecorded } from './send-recorded.ts';

/** The life of one completion/complete: it goes to whoever owns the prompt or the resource template, for those who may use it. */
export async function complete(ports: CallPorts, inbound: Inbound): Promise<Answer> {
  return sendRecorded(ports, inbound, completionOwner(inbound));
}

function completionOwner({ request, view }: Inbound): Sent {
  const ref = member(request.params, 'ref');
  const name = member(ref, 'name');
  if (member(ref, 'type') === 'ref/prompt' && typeof name === 'string') {
    const prompt = view.prompt(name);
    if (prompt === undefined)
      throw new FaultError('invalid_params', `Unknown prompt: ${name.slice(0, 128)}. prompts/list has the names.`);
    return {
      upstream: prompt.upstream,
      offer: 'prompt',
      target: prompt.name,
      edits: prompt.name === name ? [] : [request.setInParam('ref', 'name', JSON.stringify(prompt.name))],
    };
  }
  const uri = member(ref, 'uri');
  if (member(ref, 'type') === 'ref/resource' && typeof uri === 'string') {
    const owner = view.resource(uri)[0];
    if (owner === undefined) throw new FaultError('invalid_params', `Unknown resource template: ${uri.slice(0, 256)}.`);
    return {
      upstream: owner.upstream,
      offer: 'resource',
      target: owner.uri,
      isListed: owner.isListed,
      edits: owner.uri === uri ? [] : [request.setInParam('ref', 'uri', JSON.stringify(owner.uri))],
    };
  }
  throw new FaultError(
    'invalid_params',
    'completion/complete needs "ref": {"type":"ref/prompt","name":…} or {"type":"ref/resource","uri":…}.',
  );
}
