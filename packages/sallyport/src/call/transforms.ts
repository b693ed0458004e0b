import { type Envelope, NAME, NOTHING } from '../core/envelope.ts';
import { FaultError } from '../core/errors.ts';
import type { JsonObject } from '../core/json.ts';
import { type Carried, fromWhole, isSame, toWhole } from '../guard/whole.ts';
import type { CallPorts } from './ports.ts';

/**
 * What changes values after the record, so that neither it nor a person who was asked holds them. On the way to a server:
 * handles are opened, masked values put back, and (where a request is written, `request-forms.ts`) public names become the
 * server's own and arguments `Mcp-Param-*` headers. On the way back (`relay.ts`): the server's own names become public ones,
 * and values that were masked in the caller's arguments are put back.
 */
export interface Revealed extends Carried {
  readonly isRevealed: boolean;
}

type Ports = Pick<CallPorts, 'handled' | 'masked'>;

/** A request as its server gets it. @throws FaultError `denied`, at once or by the promise */
export function reveal(ports: Ports, envelope: Envelope, body: JsonObject): Revealed | Promise<Revealed> {
  const opening = envelope.kind === 'call' ? ports.handled.toUpstream(envelope, body) : undefined;
  return opening instanceof Promise
    ? opening.then((opened) => unmask(ports, envelope, { before: body, body: opened ?? body }))
    : unmask(ports, envelope, { before: body, body: opening ?? body });
}

interface Opened {
  readonly before: JsonObject;
  readonly body: JsonObject;
}

function unmask(ports: Ports, envelope: Envelope, { before, body }: Opened): Revealed | Promise<Revealed> {
  const { fixed } = envelope;
  const settle = (whole: JsonObject | undefined): Revealed => {
    if (whole === undefined) return { body, fixed, isRevealed: body !== before };
    const now = fromWhole(whole, { body, fixed });
    if (!isSame(withoutName(now.fixed), withoutName(fixed)))
      throw new FaultError(
        'denied',
        'It holds a masked value ({{secret:…}}) where none can be put back. Call a tool with it.',
      );
    return { ...now, isRevealed: true };
  };
  const unmasking = ports.masked.toUpstream(envelope, toWhole({ body, fixed }));
  return unmasking instanceof Promise ? unmasking.then(settle) : settle(unmasking);
}

function withoutName(fixed: JsonObject): JsonObject {
  if (fixed === NOTHING) return fixed;
  const { [NAME]: _, ...others } = fixed;
  return others;
}
