import type { ResourceSettings } from '../../config/resources-section.ts';
import type { Envelope, FrozenSnapshot } from '../../core/envelope.ts';
import type { NamePort } from '../../core/name-port.ts';
import { ALLOW, type Verdict } from '../../core/verdict.ts';
import type { Guard } from '../guard.ts';
import { type Forbidden, judgeName, judgeUri, type Place } from './judge-uri.ts';

export interface ResourcePorts {
  readonly settings: (snapshot: FrozenSnapshot, upstream: string) => ResourceSettings;
  /** Host of a server's address; `undefined`: it runs on this machine. */
  readonly hostOf: (snapshot: FrozenSnapshot, upstream: string) => string | undefined;
  readonly names: NamePort;
  /** A URI as a person may see it: a client may have written a secret into it. */
  readonly toShown: (uri: string) => string;
}

/** Before a server is asked to open a URI: may it lead there, and does a person agree? */
export function resources(ports: ResourcePorts): Guard {
  return {
    name: 'resources',
    kinds: ['read', 'subscription'],
    judge(envelope) {
      if (envelope.item !== 'resource') return ALLOW;
      const { forbidden, asks } = judge(ports, envelope);
      if (forbidden !== undefined) return deny(forbidden);
      if (asks === undefined) return ALLOW;
      // What is asked is the place and not the URI: a yes for a run, or for longer, is one for everything there.
      const { key } = ports.settings(envelope.snapshot, envelope.upstream);
      const reason = toQuestion(envelope, asks, { key, toShown: ports.toShown });
      return { kind: 'ask', reason, about: { ...asks } };
    },
  };
}

/** Where does its name lead? The question to the DNS leaves this machine, and the name may carry what must not: asked last of all. */
export function resourceNames(ports: ResourcePorts): Guard {
  return {
    name: 'resources',
    kinds: ['read', 'subscription'],
    isLast: true,
    judge(envelope) {
      if (envelope.item !== 'resource') return ALLOW;
      const { name } = judge(ports, envelope);
      if (name === undefined) return ALLOW;
      const { snapshot, upstream } = envelope;
      return ports.names.lookUp([name]).then((answers) => {
        const forbidden = judgeName(name, answers, ports.settings(snapshot, upstream));
        return forbidden === undefined ? ALLOW : deny(forbidden);
      });
    },
  };
}

function judge({ settings, hostOf }: ResourcePorts, { snapshot, upstream, target }: Envelope) {
  const ownHost = hostOf(snapshot, upstream);
  return judgeUri(target, { settings: settings(snapshot, upstream), ownHost, isRead: true });
}

interface Asking extends Pick<ResourcePorts, 'toShown'> {
  /** Of the setting. */
  readonly key: string;
}

function toQuestion({ upstream, target }: Envelope, { scheme, host }: Place, about: Asking): string {
  const { key, toShown } = about;
  const list = host === undefined ? 'schemes' : 'hosts';
  const what = host === undefined ? `${scheme}: is` : `${host} is`;
  return `"${upstream}" is to open ${JSON.stringify(toShown(target).slice(0, 300))}, and ${what} not among "${key}.${list}". A yes is for everything there.`;
}

function deny({ why, fix, advice = fix }: Forbidden): Verdict {
  const reason = `This resource may not be read: ${why}. Nothing was sent to the server. ${advice}`;
  return { kind: 'deny', code: 'denied', reason };
}
