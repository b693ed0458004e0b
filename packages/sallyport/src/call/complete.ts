import { FaultError } from '../core/errors.ts';
import { member } from '../core/json.ts';
import type { Answer } from '../core/message.ts';
import type { Inbound } from './inbound.ts';
import type { CallPorts } from './ports.ts';
import { type Route, relay } from './relay.ts';
import { readRequest, writeRequest } from './request-forms.ts';
import { findPrompt } from './unlisted.ts';

/** The way of one completion/complete: it goes to whoever owns the prompt or the resource template, for those who may use it. */
export function complete(ports: CallPorts, given: Inbound): Promise<Answer> {
  return relay(ports, given, ({ inbound }) => {
    const { request, exchange } = inbound;
    const owner = findOwner(ports, inbound);
    return {
      kind: 'completion',
      ...owner,
      ...readRequest('completion', request, { named: owner.named, isSealed: exchange.exclusive === true }),
      write: (own, sent) => writeRequest('completion', own, sent),
    };
  });
}

function findOwner(
  ports: CallPorts,
  inbound: Inbound,
): Pick<Route, 'upstream' | 'item'> & { target: string; named: string | undefined } {
  const { request, view } = inbound;
  const ref = member(request.params, 'ref');
  const name = member(ref, 'name');
  if (member(ref, 'type') === 'ref/prompt' && typeof name === 'string') {
    const prompt = findPrompt(ports, inbound, name);
    if (prompt === undefined)
      throw new FaultError('invalid_params', `Unknown prompt: ${name.slice(0, 128)}. prompts/list has the names.`);
    return { upstream: prompt.upstream, item: 'prompt', target: prompt.name, named: undefined };
  }
  const uri = member(ref, 'uri');
  if (member(ref, 'type') === 'ref/resource' && typeof uri === 'string') {
    const owner = view.resource(uri)[0];
    if (owner === undefined) throw new FaultError('invalid_params', `Unknown resource template: ${uri.slice(0, 256)}.`);
    const { upstream, isListed } = owner;
    return { upstream, item: 'resource', target: owner.uri, named: isListed ? undefined : owner.uri };
  }
  throw new FaultError(
    'invalid_params',
    'completion/complete needs "ref": {"type":"ref/prompt","name":…} or {"type":"ref/resource","uri":…}.',
  );
}
