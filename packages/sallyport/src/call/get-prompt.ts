import { FaultError } from '../core/errors.ts';
import { member } from '../core/json.ts';
import type { Answer } from '../core/message.ts';
import type { Inbound } from './inbound.ts';
import type { CallPorts } from './ports.ts';
import { relay } from './relay.ts';
import { readRequest, writeRequest } from './request-forms.ts';
import { findPrompt } from './unlisted.ts';
import { refuseUnreachable } from './unreachable.ts';

/** The way of one prompts/get. @throws FaultError as {@link relay} */
export function getPrompt(ports: CallPorts, given: Inbound): Promise<Answer> {
  return relay(ports, given, ({ inbound }, passing) => {
    const { request, view, exchange } = inbound;
    const name = member(request.params, 'name');
    if (typeof name !== 'string')
      throw new FaultError('invalid_params', 'prompts/get needs "name": the name of a prompt from prompts/list.');
    const held = view.whyHeld('prompts', name);
    if (held !== undefined) throw new FaultError('denied', held);
    const prompt = findPrompt(ports, inbound, name);
    if (prompt === undefined) {
      refuseUnreachable(passing, name);
      throw new FaultError('invalid_params', `Unknown prompt: ${name.slice(0, 128)}. prompts/list has the names.`);
    }
    return {
      kind: 'prompt',
      upstream: prompt.upstream,
      target: prompt.name,
      publicTarget: name,
      item: 'prompt',
      ...readRequest('prompt', request, { named: undefined, isSealed: exchange.exclusive === true }),
      write: (own, sent) => writeRequest('prompt', own, sent),
    };
  });
}
