import type { View } from '../catalog/contract.ts';
import type { Tool } from '../core/call.ts';
import type { Inbound } from './inbound.ts';
import type { CallPorts } from './ports.ts';
import { mayReach } from './relay-request.ts';

type Asking = Pick<Inbound, 'request' | 'view' | 'endpoint' | 'snapshot'>;

/** A tool that the server of this endpoint does not list: the server decides about it, where nothing else does. */
export function findUnlistedTool(ports: CallPorts, { request, view, ...from }: Asking, name: string): Tool | undefined {
  return mayReach(ports, request.method, from) ? view.unlistedTool(name) : undefined;
}

/** The prompt of this name, listed or not. */
export function findPrompt(
  ports: CallPorts,
  { request, view, ...from }: Asking,
  name: string,
): ReturnType<View['prompt']> {
  return view.prompt(name) ?? (mayReach(ports, request.method, from) ? view.unlistedPrompt(name) : undefined);
}
