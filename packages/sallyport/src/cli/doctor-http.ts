import { FaultError, toFault } from '../core/errors.ts';
import { hostOf, portOf, toNetworkSteps } from './doctor-network.ts';
import { connectDeadline, toOfferSteps } from './doctor-offer.ts';
import type { Patient } from './doctor-patient.ts';
import { findOtherPath, type Probe, type ProbeOptions, probeAddress } from './doctor-probe.ts';
import { describeReply, explainDenial, explainReply } from './doctor-reply.ts';
import type { WatchedSession } from './doctor-session.ts';
import { EXIT, type Finding, PATIENCE, type Step, toFailure } from './doctor-steps.ts';
import { speaksTls } from './doctor-tls.ts';
import { codeOf } from './error-code.ts';
import { maskUrl } from './mask-secrets.ts';

/** Everything between a URL and a list of tools, in the order in which it can fail. */
export function toHttpSteps(patient: Patient, watched: WatchedSession): readonly Step[] {
  const { transport } = patient.settings;
  if (transport.type === 'stdio') throw new FaultError('internal', 'A started server has no URL.');
  const url = new URL(transport.url);
  const { waitMs, input } = patient;
  let probe: Probe | undefined;
  return [
    { name: 'url', exit: EXIT.other, deadlineMs: waitMs, run: () => describeUrl(url) },
    ...toNetworkSteps(url, input.terminal.env, waitMs),
    {
      name: 'http',
      exit: EXIT.unreachable,
      // Questions, then a look at other paths.
      deadlineMs: 2 * waitMs,
      late: (seconds) => toSilence(seconds),
      async run(signal) {
        const { type, headers } = transport;
        const options = { url, type, era: patient.settings.era, headers: toSent(headers), waitMs, signal };
        const result = await askAddress(options);
        probe = result.probe;
        return result.finding;
      },
    },
    {
      name: 'authentication',
      exit: EXIT.authentication,
      deadlineMs: waitMs,
      run: () => {
        if (patient.settings.auth !== undefined) return signIn(patient.settings.auth.type, watched);
        return probe?.kind === 'denied'
          ? explainDenial(probe.reply, patient)
          : { outcome: 'ok', detail: describeAccess(Object.keys(transport.headers)) };
      },
    },
    {
      name: 'discovery',
      exit: EXIT.unreachable,
      deadlineMs: connectDeadline(waitMs),
      run: () => discover(patient, watched),
    },
    ...toOfferSteps({ patient, watched, explain: (error) => explainFault(error, patient) }),
  ];
}

/** With the credential the gateway would use; what else is wrong with the connection is for the next step to say. */
async function signIn(type: string, watched: WatchedSession): Promise<Finding> {
  try {
    await watched.identify();
  } catch (error) {
    const fault = toFault(error);
    if (fault.code === 'upstream_unauthenticated' || fault.code === 'config') return toFailure(fault);
  }
  return { outcome: 'ok', detail: `auth of type ${type} was not refused` };
}

function toSent(headers: Readonly<Record<string, string>>): Record<string, string> {
  return { 'user-agent': 'sallyport-doctor', ...headers };
}

function describeUrl(url: URL): Finding {
  const detail = `${maskUrl(url.href)}: host ${hostOf(url)}, port ${portOf(url)}`;
  const secret = Object.keys(Object.fromEntries(url.searchParams)).find((name) => /key|token|secret/i.test(name));
  if (secret !== undefined && url.protocol === 'http:' && !isLocal(url))
    return { outcome: 'warning', detail, fix: CLEAR_TEXT };
  return { outcome: 'ok', detail };
}

const CLEAR_TEXT =
  'Write https:// if the server offers it: with http:// whoever is on the way reads the key in this URL.';

function isLocal(url: URL): boolean {
  return /^(?:localhost|127\.|::1$)/.test(hostOf(url));
}

interface Asked {
  readonly finding: Finding;
  readonly probe: Probe | undefined;
}

async function askAddress(options: ProbeOptions): Promise<Asked> {
  const { url } = options;
  let probe: Probe;
  try {
    probe = await probeAddress(options);
  } catch (error) {
    return { finding: await explainBroken(error, options), probe: undefined };
  }
  if (probe.kind === 'mcp') {
    const before = probe.replies.filter((reply) => reply !== probe.reply).map((reply) => `; ${describeReply(reply)}`);
    return { finding: { outcome: 'ok', detail: `${describeReply(probe.reply)}${before.join('')}` }, probe };
  }
  if (probe.kind === 'denied') {
    return { finding: { outcome: 'ok', detail: `${describeReply(probe.reply)}: somebody is there` }, probe };
  }
  const other = await tryOtherTransport(options);
  if (other !== undefined) return { finding: other, probe };
  const elsewhere =
    probe.kind === 'other' ? await findOtherPath({ ...options, waitMs: options.waitMs / 2 }) : undefined;
  return { finding: explainReply(probe, url, elsewhere), probe };
}

/** The type in the settings is wrong when the other one is answered. */
async function tryOtherTransport(options: ProbeOptions): Promise<Finding | undefined> {
  if (options.type === 'auto') return undefined;
  const other = options.type === 'sse' ? 'http' : 'sse';
  const probe = await probeAddress({ ...options, type: other, waitMs: options.waitMs / 2 }).catch(() => undefined);
  if (probe?.kind !== 'mcp') return undefined;
  return {
    outcome: 'failed',
    detail: `It does not speak ${NAMES[options.type]}, which is asked for by its type, but ${NAMES[other]}.`,
    fix: `Set "type": "${other}", or leave the type out (--type ${other}).`,
  };
}

const NAMES = Object.freeze({ http: 'Streamable HTTP', sse: 'HTTP+SSE' });

function toSilence(seconds: string): Pick<Finding, 'detail' | 'fix'> {
  return {
    detail: `The server took the request and sent no HTTP answer within ${seconds}.`,
    fix: 'See the log of the server: it hangs or waits for something. If it is only slow, give it more time (--timeout 60s).',
  };
}

async function explainBroken(error: unknown, { url, waitMs, signal }: ProbeOptions): Promise<Finding> {
  if (error instanceof FaultError && error.code === 'timeout') {
    return { outcome: 'failed', ...toSilence(`${Number((waitMs / 1000).toFixed(1))} s`) };
  }
  const code = codeOf(error);
  if (url.protocol === 'http:') {
    const patience = AbortSignal.any([signal, AbortSignal.timeout(Math.ceil(waitMs / 2))]);
    if (await speaksTls({ host: hostOf(url), port: portOf(url), signal: patience })) return TLS_INSTEAD;
  }
  if (code.startsWith('HPE_')) {
    return {
      outcome: 'failed',
      detail: `What answers on this port does not speak HTTP (${code}).`,
      fix: 'Correct the port: another program listens there. Servers that talk over stdin and stdout are given as a command.',
    };
  }
  return {
    outcome: 'failed',
    detail: `The server closed the connection without an HTTP answer (${code}).`,
    fix: 'See the log of the server: it may have crashed at this request. A proxy or firewall in between can do this too.',
  };
}

const TLS_INSTEAD: Finding = {
  outcome: 'failed',
  detail: 'This port speaks TLS, and the URL says http://.',
  fix: 'Write https:// in the URL.',
};

function describeAccess(headers: readonly string[]): string {
  return headers.length === 0 ? 'not asked for' : `nothing refused; sent: ${headers.join(', ')}`;
}

async function discover(patient: Patient, watched: WatchedSession): Promise<Finding> {
  try {
    await watched.identify();
  } catch (error) {
    return explainFault(error, patient);
  }
  const learned = watched.learned();
  const isModern = learned?.modern?.revision !== undefined;
  const transport = !isModern && learned?.legacy?.transport === 'sse' ? NAMES.sse : NAMES.http;
  const question = isModern ? 'server/discover' : 'initialize';
  return { outcome: 'ok', detail: `${question} over ${transport}` };
}

/** A connection that failed after plain HTTP worked. */
function explainFault(error: unknown, { settings }: Patient): Finding {
  const fault = toFault(error);
  const forced =
    settings.era === 'auto'
      ? ''
      : ` Leave out the era: "${settings.era}" is asked for, and the server may speak the other one (--era auto).`;
  switch (fault.code) {
    case 'timeout':
      return toFailure(fault, PATIENCE);
    case 'upstream_unauthenticated':
      return toFailure(
        fault,
        'The address answers without credentials, the server behind it does not: send them in "headers" (--header "Authorization: Bearer <token>").',
      );
    case 'upstream_protocol':
      return toFailure(
        fault,
        `Check that the URL is that of the MCP endpoint and that the server follows a revision of MCP; its log may say more.${forced}`,
      );
    case 'unreachable':
      return toFailure(fault, `See the log of the server: it answered before and broke off now.${forced}`);
    default:
      return toFailure(fault);
  }
}
