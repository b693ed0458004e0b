import { type ResourceSettings, RUNNING_SCHEMES } from '../../config/resources-section.ts';
import { matchesGlob } from '../../core/glob.ts';
import type { NameAnswers } from '../../core/name-port.ts';
import { decodePercent } from '../../core/percent.ts';
import { carriesData } from '../argument-safety/hosts.ts';
import { isAddress, isThisMachine, readUrl, toDestination, toReached, toScheme, WRAPPERS } from '../destination.ts';

export interface UriContext {
  readonly settings: ResourceSettings;
  /** Host of the server's own address; `undefined`: it runs on this machine. */
  readonly ownHost: string | undefined;
  /** The server itself reads it, or has: its files are its own, wherever it runs, and nobody opens them here. */
  readonly isRead?: boolean;
}

/** Why nobody may go there. */
export interface Forbidden {
  /** The part of a sentence behind "because". */
  readonly why: string;
  /** A sentence for people: what the caller can do, or the setting that allows it. */
  readonly fix: string;
  /** For models, where it is another one. */
  readonly advice?: string;
}

/** What the text of a URI says about where it leads. */
export interface Judged {
  /** `undefined`: the text says nothing against it. */
  readonly forbidden: Forbidden | undefined;
  /** A person has to agree before it is read. */
  readonly asks: Place | undefined;
  /** The name of a host that may lead inside: to be looked up. */
  readonly name: string | undefined;
}

/** What a person agrees to: every URI of this scheme, or of this scheme at this host. */
export interface Place {
  readonly scheme: string;
  /** With the port, where it is not the usual one. */
  readonly host?: string;
}

const ALLOWED: Judged = Object.freeze({ forbidden: undefined, asks: undefined, name: undefined });

/** Of `data:`: types that a client shows as a page, and runs. */
const PAGE_DATA = /^data:[^,]{0,256}(?:html|xml|svg|script)/i;
/** What a server over HTTP speaks itself; `gopher:` to its host is a request forged. */
const OWN: ReadonlySet<string> = new Set(['http', 'https', 'ws', 'wss']);
/** Parsers drop or trim these, and read another address than stands there (WHATWG URL section 4.4). */
const UNREADABLE = /\p{Cc}|^\s|\s$/u;
const MAX_URI = 8_192;
/** Files that hold keys and accounts. */
const SENSITIVE_FILE =
  /\/\.(?:ssh|aws|gnupg|kube|docker|netrc|env|npmrc|pypirc|git-credentials)(?:[/.]|$)|\/etc\/(?:passwd|shadow|sudoers)|\/proc\/|\/(?:id_rsa|id_ed25519)\b/i;

/** May a resource, or a link to one, lead there? What a name resolves to is for `judgeName`. */
export function judgeUri(uri: string, context: UriContext): Judged {
  const { settings } = context;
  if (uri.length > MAX_URI) return refuse(`it is longer than ${MAX_URI} characters`, `${NEVER} Ask for a shorter one.`);
  if (UNREADABLE.test(uri))
    return refuse(
      'it holds characters that are not seen and change where it leads',
      `${NEVER} Write the URI without them.`,
    );
  const scheme = toScheme(uri);
  // A URI without a scheme is the server's own name for something.
  if (scheme === undefined)
    return /^[\\/]{2}/.test(uri) ? refuse('it has no scheme', `${NEVER} Write the scheme.`) : ALLOWED;
  if (RUNNING_SCHEMES.includes(scheme)) return refuse(`${scheme}: runs what stands in it`, NEVER);
  const isNamed = settings.schemes?.includes(scheme) === true;
  if (scheme === 'data' && !isNamed)
    return refuse('data: is content and no place', `The operator can name data in "${settings.key}.schemes".`);
  if (PAGE_DATA.test(uri)) return refuse('it holds a page, which runs what stands in it', NEVER);
  const isListed = settings.schemes === undefined || isNamed;
  if (!isListed && settings.unlisted === 'deny')
    return refuse(
      `the scheme ${scheme}: is not allowed`,
      `The operator can add "${scheme}" to "${settings.key}.schemes".`,
    );
  const asks = isListed || settings.unlisted === 'allow' ? undefined : { scheme };
  if (WRAPPERS.has(scheme)) return judgeUri(uri.slice(scheme.length + 1), context);
  if (scheme === 'file') return (context.isRead === true ? undefined : judgeFile(uri, context)) ?? askOr(asks);
  const reached = toReached(scheme);
  if (reached !== undefined) return judgeHost({ uri, scheme, reached, asks }, context);
  // A server names its own things after hosts, too: `postgres://localhost/db/users`. Of metadata services it has none.
  const isMetadata = !settings.private && toDestination(readUrl(uri)?.hostname ?? '') === 'metadata';
  return isMetadata ? refuse('it leads to the metadata service of a cloud', allowInside(settings)) : askOr(asks);
}

const NEVER = 'No setting allows it.';

interface Reaching {
  readonly uri: string;
  readonly scheme: string;
  /** The scheme that decides how the host is read. */
  readonly reached: string;
  readonly asks: Place | undefined;
}

function judgeHost({ uri, scheme, reached, asks }: Reaching, { settings, ownHost }: UriContext): Judged {
  const url = readUrl(uri);
  if (url === undefined) return refuse('it is no URL', `${NEVER} Write an address.`);
  if (url.username !== '' || url.password !== '')
    return refuse('it holds a user name or password', `${NEVER} Write the URI without it.`);
  const host = url.hostname.toLowerCase().replace(/\.$/, '');
  if (host === '' || host.includes('..') || host.includes('%'))
    return refuse('its host cannot be read', `${NEVER} Write the name of a host.`);
  if (host === ownHost && OWN.has(reached)) return askOr(asks);
  if (!settings.private && toDestination(host) !== 'public')
    return refuse('it leads to this machine or a private network', allowInside(settings));
  const isListed = settings.hosts === undefined || settings.hosts.some((glob) => matchesGlob(glob.toLowerCase(), host));
  if (!isListed && settings.unlisted === 'deny')
    return refuse(
      `its host ${showHost(host)} is not allowed`,
      `The operator can add "${showHost(host)}" to "${settings.key}.hosts".`,
    );
  const isAsked = asks !== undefined || (!isListed && settings.unlisted === 'ask');
  const isLookedUp = !settings.private && settings.names !== 'text' && !isAddress(host);
  // Looking it up would hand out what its labels hold.
  if (isLookedUp && carriesData(host)) return refuse('the name of its host carries data', lookNothingUp(settings));
  if (!isAsked && !isLookedUp) return ALLOWED;
  return {
    forbidden: undefined,
    asks: isAsked ? { scheme, host: url.host } : undefined,
    name: isLookedUp ? host : undefined,
  };
}

/** Names of hosts are strangers' texts, too. */
function showHost(host: string): string {
  return host.slice(0, 253).replace(/[^\p{L}\p{N}.:[\]_-]/gu, '?');
}

function allowInside({ key }: Pick<ResourceSettings, 'key'>): string {
  return `The operator can allow such addresses with "${key}.private": true.`;
}

function lookNothingUp({ key }: Pick<ResourceSettings, 'key'>): string {
  return `The operator can have names judged as they are written with "${key}.names": "text".`;
}

/**
 * The same, with what its name leads to.
 * @param answers what the names of these URIs lead to; a name without an entry was not looked up, and that is no
 * @returns for people and models; `undefined`: it may
 */
export function findForbiddenUri(uri: string, context: UriContext, answers?: NameAnswers): Forbidden | undefined {
  const { forbidden, name } = judgeUri(uri, context);
  if (forbidden !== undefined || name === undefined || answers === undefined) return forbidden;
  return judgeName(name, answers, context.settings);
}

/** May a name be reached, now that it is known where it leads? One address inside is enough for no. */
export function judgeName(
  name: string,
  answers: NameAnswers,
  settings: Pick<ResourceSettings, 'key' | 'names'>,
): Forbidden | undefined {
  const answer = answers.get(name) ?? 'late';
  if (answer === 'late')
    return {
      why: 'it could not be found out in time where its name leads',
      ...toFix(`Ask again. ${lookNothingUp(settings)}`),
    };
  if (answer === 'unknown')
    return settings.names === 'require'
      ? {
          why: 'nobody knows where its name leads',
          ...toFix(`The operator can let such names pass with "${settings.key}.names": "resolve".`),
        }
      : undefined;
  if (answer.length === 0 || answer.some((address) => toDestination(address) !== 'public'))
    return { why: 'its name leads to this machine or a private network', ...toFix(allowInside(settings)) };
  return undefined;
}

function refuse(why: string, fix: string): Judged {
  return { forbidden: { why, ...toFix(fix) }, asks: undefined, name: undefined };
}

/** What the operator can set is for people; a model hears that a person can. */
function toFix(fix: string): Pick<Forbidden, 'fix' | 'advice'> {
  if (!fix.includes('The operator can')) return { fix };
  const first = fix.startsWith('Ask again.') ? 'Ask again. ' : '';
  return { fix, advice: `${first}Only the operator can allow it. Use another one, or tell the user.` };
}

function askOr(asks: Place | undefined): Judged {
  return asks === undefined ? ALLOWED : { forbidden: undefined, asks, name: undefined };
}

/**
 * A link to a file is opened where the client runs. A server on this machine means a file of this machine. From a server on another
 * machine the same URI names a file there, and a client that opens it opens another one, of its own: that is the threat.
 * `undefined`: nothing speaks against it.
 */
function judgeFile(uri: string, { settings, ownHost }: UriContext): Judged | undefined {
  // file://host/share opens a connection, and Windows signs in there.
  const host = URL.canParse(uri) ? new URL(uri).hostname : '';
  if (host !== '' && host !== 'localhost') return refuse('it names a file of another machine', NEVER);
  const isElsewhere = ownHost !== undefined && !isThisMachine(ownHost);
  if (isElsewhere && settings.schemes?.includes('file') !== true)
    return refuse(
      'a server on another machine has no files here',
      `The operator can name file in "${settings.key}.schemes".`,
    );
  return SENSITIVE_FILE.test(decodePercent(uri) ?? uri)
    ? refuse('it names a file that holds keys or accounts', NEVER)
    : undefined;
}
