import type { View } from '../catalog/contract.ts';
import type { Snapshot } from '../config/settings.ts';
import type { Endpoint } from '../core/endpoint.ts';
import type { Exchange } from '../core/exchange.ts';
import type { Request } from '../core/message.ts';

/** One request of a client on its way in: what it says, who says it, and the frozen world it is judged in. */
export interface Inbound {
  readonly request: Request;
  readonly exchange: Exchange;
  readonly endpoint: Endpoint;
  readonly snapshot: Snapshot;
  readonly view: View;
  /** Id of the call whose script made this one; left out: a client did. */
  readonly script?: string;
  /** The call of `call_tool` that it came in; left out: it came as it is. */
  readonly wrapped?: Request;
}
