import type { TaintFlow, TaintSettings } from '../../config/taint-section.ts';
import type { Envelope } from '../../core/envelope.ts';
import { isBelieved } from './label-source.ts';

/** Server requests whose responses are not what the client's model wrote. */
const FORM = 'elicitation/create';
const ROOTS = 'roots/list';

/** Of a request that is no call, and of a notification: only private data is followed into them. */
export function isPrivateOnly({ kind }: Pick<Envelope, 'kind'>): boolean {
  return kind !== 'call' && kind !== 'client_response';
}

/**
 * The rules that hold for this kind of message: all for a call, those about private values for everything else.
 *
 * Nobody can be asked about a request that is no call, so ask is deny there. A client response leaves as an argument does; in
 * a form that a believed host put to its user only secrets count, since what the user typed is the user's to give.
 */
export function settingsFor(envelope: Envelope, settings: TaintSettings): TaintSettings {
  if (envelope.kind === 'call') return settings;
  if (isPrivateOnly(envelope)) return privateOnly(settings);
  return envelope.target === FORM && isBelieved(settings, envelope.client.principal)
    ? secretsOnly(settings)
    : privateAndHidden(settings);
}

/**
 * May what is given count as the client's own later on? A server chose the words of what it asked for, so that a response is
 * never kept; which folders there are, no server says.
 */
export function mayKeep({ kind, target }: Pick<Envelope, 'kind' | 'target'>): boolean {
  return kind !== 'client_response' || target === ROOTS;
}

const privateOnly = privateFlows((flow) => (flow.action === 'ask' ? { ...flow, action: 'deny' } : flow));
const secretsOnly = privateFlows((flow) => ({ ...flow, from: 'secret' }));
const privateAndHidden = privateFlows(
  (flow) => flow,
  ({ to }) => to.hidden === true,
);

/** Settings with the rules about private values only, each as `change` has it; `more` are kept beside them as they are. */
function privateFlows(
  change: (flow: TaintFlow) => TaintFlow,
  more: (flow: TaintFlow) => boolean = () => false,
): (settings: TaintSettings) => TaintSettings {
  const known = new WeakMap<TaintSettings, TaintSettings>();
  return (settings) => {
    let reduced = known.get(settings);
    if (reduced === undefined) {
      const isPrivate = ({ from, by }: TaintFlow) => by === 'value' && from !== 'untrusted';
      const flows = settings.flows.flatMap((flow) => (isPrivate(flow) ? [change(flow)] : more(flow) ? [flow] : []));
      reduced = { ...settings, flows };
      known.set(settings, reduced);
    }
    return reduced;
  };
}
