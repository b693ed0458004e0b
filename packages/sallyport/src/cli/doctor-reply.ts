import { member } from '../core/json.ts';
import { isEventStream, type Reply } from './doctor-ask.ts';
import { describeWhere, type Patient } from './doctor-patient.ts';
import { type Probe, rpcMember } from './doctor-probe.ts';
import { EXIT, type Finding } from './doctor-steps.ts';
import { maskUrl } from './mask-secrets.ts';

const SHOWN = 200;

/** One answer in a few words: `POST was answered 404 (text/html)`. */
export function describeReply({ method, status, headers }: Reply): string {
  const type = (headers['content-type'] ?? '').split(';', 1)[0]?.trim() ?? '';
  return `${method} was answered with ${status}${type === '' ? '' : ` (${type})`}`;
}

/** Why an answer is none of an MCP server, and what to change. `elsewhere`: where one was found instead. */
export function explainReply(probe: Probe, url: URL, elsewhere: string | undefined): Finding {
  const { reply } = probe;
  const [cause, fix] = probe.kind === 'redirect' ? explainRedirect(reply, url) : explainStatus(reply, elsewhere);
  return { outcome: 'failed', detail: `${describeReply(reply)}: ${cause}`, fix, exit: EXIT.unreachable };
}

type Explained = readonly [cause: string, fix: string];

function explainRedirect({ headers }: Reply, url: URL): Explained {
  const { location = '' } = headers;
  const target = URL.canParse(location, url.href) ? new URL(location, url) : undefined;
  const place = target === undefined ? 'nowhere' : maskUrl(target.href);
  const cause = `the server redirects to ${place}. Redirects are not followed: they would carry your headers to an address you did not choose.`;
  if (target === undefined) return [cause, 'Correct the URL.'];
  if (target.host !== url.host && /login|signin|oauth|authorize|sso/i.test(target.href)) {
    return [
      cause,
      'This is a sign-in page for people. Send credentials in a header, or ask for the address meant for programs.',
    ];
  }
  return [cause, `Write ${place} as the URL if you trust it.`];
}

function explainStatus(reply: Reply, elsewhere: string | undefined): Explained {
  const { status, body } = reply;
  const found =
    elsewhere === undefined
      ? 'Correct the path of the URL: MCP servers mostly answer at /mcp, older ones at /sse.'
      : `Write ${elsewhere}: something answers like an MCP server there.`;
  const said = quote(body);
  if (status === 404 || status === 410) return [`there is nothing at this path.${said}`, found];
  if (status === 405 || status === 501) return [`this address does not take MCP messages.${said}`, found];
  if (status === 429)
    return [
      `the server takes no more requests for now.${waitHint(reply)}${said}`,
      'Wait, or raise the limit of this account.',
    ];
  if (status === 502 || status === 503 || status === 504) {
    return [
      `a proxy answers, but the server behind it is down.${said}`,
      'Start the server behind the proxy, or wait until it is up; see the log of the proxy.',
    ];
  }
  if (status >= 500)
    return [`the server failed inside.${said}`, 'See the log of the server for the time of this request.'];
  if (status === 406 || status === 415) {
    return [`the server refuses JSON or event streams.${said}`, `${found} If the address is right, update the server.`];
  }
  if (status >= 400) return [`the server refuses the request.${said}`, found];
  return explainSuccess(reply, found);
}

function explainSuccess(reply: Reply, found: string): Explained {
  const { body, headers, complete } = reply;
  if (!complete) {
    return [
      'the answer began and did not end in time.',
      'See the log of the server; a proxy that buffers event streams looks the same: switch buffering off.',
    ];
  }
  if (isHtml(reply)) return [`this is a web page, no MCP endpoint.${quote(titleOf(body))}`, found];
  if (isEventStream(headers)) return ['an event stream without a message of MCP.', found];
  if (body.trim() === '') return ['the answer is empty.', found];
  return [`the answer is no message of MCP.${quote(body)}`, found];
}

function isHtml({ headers, body }: Reply): boolean {
  return (headers['content-type'] ?? '').includes('html') || /^\s*<(?:!doctype|html)/i.test(body);
}

function titleOf(body: string): string {
  return /<title[^>]{0,200}>([^<]{1,200})/i.exec(body)?.[1] ?? '';
}

function quote(body: string): string {
  const message = member(member(rpcMember(body), 'error'), 'message');
  const text = (typeof message === 'string' ? message : body.replace(/<[^>]{0,1000}>/g, ' '))
    .replace(/\s+/g, ' ')
    .trim();
  if (text === '') return '';
  return ` It says: ${text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text}`;
}

function waitHint({ headers }: Reply): string {
  const after = headers['retry-after'];
  return after === undefined ? '' : ` It asks to wait: ${after.slice(0, 40)}.`;
}

/** 401, 403 and 407 in plain words: what is wanted, what was sent (by name), and where to put it. */
export function explainDenial(reply: Reply, patient: Patient): Finding {
  const { transport } = patient.settings;
  const names = transport.type === 'stdio' ? [] : Object.keys(transport.headers);
  const credential = names.find((name) => /^authorization$|key|token|secret|cookie|auth/i.test(name));
  const challenge = (reply.headers['www-authenticate'] ?? '').slice(0, 1000);
  const [cause, fix] = explainChallenge({ reply, credential, challenge, patient });
  const wants = challenge === '' ? '' : `\nWWW-Authenticate: ${challenge}`;
  const sent = credential === undefined ? 'no credentials were sent' : `the header ${credential} was sent`;
  return {
    outcome: 'failed',
    detail: `${reply.status}: ${cause} (${sent}).${quote(reply.body)}${wants}`,
    fix,
    exit: EXIT.authentication,
  };
}

interface Denial {
  readonly reply: Reply;
  readonly credential: string | undefined;
  readonly challenge: string;
  readonly patient: Patient;
}

function explainChallenge({ reply, credential, challenge, patient }: Denial): Explained {
  if (reply.status === 407)
    return [
      'a proxy in between wants credentials',
      'Reach the server without this proxy, or have the proxy let Sallyport through.',
    ];
  const parameter = (name: string): string | undefined =>
    new RegExp(`\\b${name}="?([^",]{1,300})`, 'i').exec(challenge)?.[1];
  const scope = parameter('scope');
  const error = parameter('error');
  if (error === 'insufficient_scope' || (reply.status === 403 && credential !== undefined)) {
    const which = scope === undefined ? 'the rights this needs' : `the scope ${scope}`;
    return [
      'the credentials are known but do not allow this',
      `Get a token with ${which}, for the account that may use this server, and ${howToSend(patient, challenge)}`,
    ];
  }
  if (reply.status === 403) {
    return [
      'the server refuses this request',
      `If it wants credentials, ${howToSend(patient, challenge)} Otherwise it checks where requests come from: allow this host in its settings (allowed hosts and origins), or in the firewall in front of it.`,
    ];
  }
  if (credential !== undefined) {
    return [
      'the server does not accept the credentials it was given: wrong, expired or revoked',
      `Get a new one and ${howToSend(patient, challenge)}`,
    ];
  }
  const oauth =
    parameter('resource_metadata') === undefined
      ? ''
      : ' The server offers OAuth: instead of a token, "auth": {"type": "oauth"} and "sallyport login" will do.';
  return ['the server wants credentials', `Get a token or key for it and ${howToSend(patient, challenge)}${oauth}`];
}

function howToSend(patient: Patient, challenge: string): string {
  const basic = /^\s*basic\b/i.test(challenge);
  const variable = `${patient.settings.name.toUpperCase().replace(/[^A-Z0-9]+/g, '_')}_TOKEN`;
  const value = basic ? 'Basic <base64 of user:password>' : 'Bearer <token>';
  if (patient.written === undefined) return `send it: --header "Authorization: ${value}".`;
  const reference = `${basic ? 'Basic' : 'Bearer'} \${${variable}}`;
  return `put "headers": {"Authorization": "${reference}"} into ${describeWhere(patient)} and set the environment variable ${variable} for Sallyport.`;
}
