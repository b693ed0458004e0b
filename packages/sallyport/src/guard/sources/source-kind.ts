import { isObject, type JsonObject, member, memberText } from '../../core/json.ts';
import { toWords } from '../sinks/read-words.ts';
import { READING_VERBS } from '../sinks/words.ts';

/** What a server is, by its transport and its definitions. */
export interface SourceKind {
  /** Started here over stdio, and nothing in its definitions reaches a network: files, git, memory, a database, a shell. */
  readonly isLocal: boolean;
  /** Some of its tools bring texts that other people wrote: pages, mail, tickets, chat, shared documents. */
  readonly carriesOthers: boolean;
}

/** What one definition says of where its results come from. */
export interface DefinitionSource {
  readonly reachesNetwork: boolean;
  readonly carriesOthers: boolean;
}

/**
 * @param isStdio the server is a program that this gateway starts
 * @param definitions of all its tools; `undefined`: not known yet, so it may bring anything
 */
export function classifyServer(isStdio: boolean, definitions: readonly JsonObject[] | undefined): SourceKind {
  if (definitions === undefined) return { isLocal: false, carriesOthers: true };
  const sources = definitions.map(readSource);
  return {
    isLocal: isStdio && !sources.some(({ reachesNetwork }) => reachesNetwork),
    carriesOthers: sources.some(({ carriesOthers }) => carriesOthers),
  };
}

const readings = new WeakMap<JsonObject, DefinitionSource>();

/** Pure, and remembered for the definition. */
export function readSource(definition: JsonObject): DefinitionSource {
  let reading = readings.get(definition);
  if (reading === undefined) {
    reading = read(definition);
    readings.set(definition, reading);
  }
  return reading;
}

function read(definition: JsonObject): DefinitionSource {
  const name = toWords(memberText(definition, 'name'));
  const properties = propertiesOf(definition);
  // What a tool is for stands at its beginning; further on a description may speak of anything.
  const description = memberText(definition, 'description').slice(0, MAX_DESCRIPTION);
  const opensAddress = properties.some(({ name: one, says }) => ADDRESS.test(one) || (URI.test(one) && WEB.test(says)));
  const carriesOthers =
    opensAddress ||
    CARRIERS.test(description) ||
    name.some((word) => CARRYING_NAMES.has(word)) ||
    (name.some((word) => READING_VERBS.has(word)) && name.some((word) => CARRIED.has(word)));
  const reachesNetwork =
    carriesOthers ||
    member(member(definition, 'annotations'), 'openWorldHint') === true ||
    NETWORK.test(description) ||
    name.some((word) => NETWORK_NAMES.has(word)) ||
    properties.some(({ name: one }) => RECIPIENT.test(one));
  return { reachesNetwork, carriesOthers };
}

/** Characters of a description. */
const MAX_DESCRIPTION = 600;
const MAX_PROPERTIES = 128;

interface Property {
  readonly name: string;
  readonly says: string;
}

function propertiesOf(definition: JsonObject): readonly Property[] {
  const properties = member(member(definition, 'inputSchema'), 'properties');
  if (!isObject(properties)) return [];
  return Object.keys(properties)
    .slice(0, MAX_PROPERTIES)
    .map((name) => {
      const property = member(properties, name);
      return {
        name: name.slice(0, 128),
        says: `${memberText(property, 'description')} ${memberText(property, 'format')}`,
      };
    });
}

/** Parameters that name a place on the web. */
const ADDRESS = /^(?:\w{1,20}_)?(?:urls?|links?|website|webpage|web_?page|domain)$|[a-z]Urls?$|网址|链接/i;
const URI = /^(?:\w{1,20}_)?uris?$|Uris?$/;
const WEB = /\bhttps?\b|\bweb/i;
/** Parameters that name a person or a machine elsewhere. */
const RECIPIENT =
  /^(?:bcc|recipients?|to_?(?:emails?|address|number)|e?mails?|email_?address|phone_?number|webhook(?:_?url)?|hostname|endpoint|channel_?id|repo_?owner)$/i;

/** Places where other people write. Words that also mean things on one's own disk are not among them. */
const CARRIERS =
  /\b(?:web(?:\s|-)?(?:sites?|pages?|search|content)|(?:the|from|on) (?:web|internet)|search (?:the )?(?:web|internet|engine)|online|urls?|browsers?|crawl(?:s|ing|er)?|scrap(?:e|es|ing)|rss|news|e-?mails?|inbox|gmail|outlook|imap|github|gitlab|bitbucket|jira|linear|zendesk|servicenow|intercom|hubspot|salesforce|(?:support )?tickets?|pull requests?|merge requests?|slack|discord|telegram|whatsapp|microsoft teams|sms|tweets?|twitter|reddit|hacker ?news|stack ?overflow|youtube|linkedin|social media|forums?|wikipedia|wiki|confluence|notion|google (?:drive|docs|sheets|calendar)|sharepoint|onedrive|dropbox|shared (?:documents?|drives?|files?)|arxiv|pubmed|papers)\b|网页|网站|互联网|邮件|工单|聊天|新闻|搜索引擎|微博|论坛/i;
const CARRYING_NAMES: ReadonlySet<string> = new Set(
  'web website webpage webpages internet browser browse crawl scrape url urls rss news email emails mail mails inbox gmail slack discord telegram whatsapp github gitlab jira ticket tickets tweet tweets reddit youtube wikipedia wiki confluence notion duckduckgo bing google searxng brave'.split(
    ' ',
  ),
);
/** With a verb that reads, in a name. */
const CARRIED: ReadonlySet<string> = new Set(
  'issue issues message messages thread threads comment comments review reviews discussion discussions channel channels chat chats conversation conversations post posts article articles feed feeds pr prs attachment attachments'.split(
    ' ',
  ),
);
const NETWORK =
  /\b(?:https?|api|apis|rest|graphql|remote|cloud|saas|hosted|aws|azure|gcp|kubernetes|upload(?:s|ed)? to|download(?:s|ed)? from|server at|network request)\b|接口|云端|远程/i;
const NETWORK_NAMES: ReadonlySet<string> = new Set(
  'http https api remote cloud fetch download upload curl clone push pull deploy send publish navigate weather'.split(
    ' ',
  ),
);
