import type { ResourceSettings } from '../../../config/scan-section.ts';
import type { Finding } from '../../../core/finding.ts';
import { isObject, type Json, type JsonObject, member } from '../../../core/json.ts';
import { readText, type TextReading } from '../scan-text.ts';
import { findForbiddenUri } from './check-uri.ts';
import type { Provenance } from './mark-text.ts';
import { markText } from './mark-text.ts';
import { isDangerous, neutralise } from './neutralise.ts';

/** How the texts of one server are treated. */
export interface Treatment extends Provenance {
  /** Findings are noted, and nothing is changed. */
  readonly isShown: boolean;
  /** Every text is marked. */
  readonly untrusted: boolean;
  readonly resources: ResourceSettings;
  /** Host of the server's own address; `undefined`: it runs on this machine. */
  readonly ownHost: string | undefined;
  readonly makeTag: () => string;
}

/** What was found in a result, and the result as the model gets it. */
export interface Treated {
  readonly findings: readonly Finding[];
  readonly score: number;
  /** A finding of the block tier stands where no mark can be set: in structured content. */
  readonly isUnmarkable: boolean;
  /** `undefined`: nothing was changed. */
  readonly value: JsonObject | undefined;
}

/** In `_meta` of what was found something in, or changed. */
export const SCAN_MARK = 'dev.sallyport/scan';

const NOTHING: Treated = { findings: [], score: 0, isUnmarkable: false, value: undefined };
const MAX_FINDINGS = 32;

/** Collects what one result holds. */
class Findings {
  readonly all: Finding[] = [];
  score = 0;
  isUnmarkable = false;
  isChanged = false;
  readonly treatment: Treatment;

  constructor(treatment: Treatment) {
    this.treatment = treatment;
  }

  read(text: string, where: string): TextReading {
    const reading = readText(text);
    this.score = Math.max(this.score, reading.scan.score);
    for (const finding of reading.scan.findings)
      if (this.all.length < MAX_FINDINGS) this.all.push({ ...finding, where });
    return reading;
  }

  /** The text as the model gets it. */
  treat(text: string, where: string): string {
    const { isShown, untrusted } = this.treatment;
    const { scan, marks, carriers } = this.read(text, where);
    if (isShown) return text;
    const isSuspect = untrusted || scan.findings.length > 0;
    const harmless = neutralise(text, {
      marks: marks.filter((mark) => isDangerous(mark, isSuspect)),
      // What a page or a picture loads is its own business until something in the text is not.
      carriers: isSuspect ? carriers.filter((one) => one.carries !== 'none' || one.runs) : [],
    });
    const shown = isSuspect
      ? markText(harmless, { ...this.treatment, findings: scan.findings }, this.treatment.makeTag)
      : harmless;
    if (shown !== text) this.isChanged = true;
    return shown;
  }
}

/** Reads a tool's result (MCP tools#tool-result), and makes it what the model may get. */
export function readToolResult(result: JsonObject, treatment: Treatment): Treated {
  const found = new Findings(treatment);
  const content = member(result, 'content');
  const items = Array.isArray(content) ? content.map((item, i) => treatItem(item, `/content/${i}`, found)) : content;
  const before = found.all.length;
  const structured = member(result, 'structuredContent');
  if (structured !== undefined) readStrings(structured, '/structuredContent', found);
  const asked = member(result, 'inputRequests');
  if (asked !== undefined) readStrings(asked, '/inputRequests', found);
  found.isUnmarkable = found.all.slice(before).some(({ tier }) => tier === 'block');
  return finish(result, found, items === content ? {} : { content: items ?? null });
}

/** Reads what resources/read gave (MCP resources#reading-resources). */
export function readResourceResult(result: JsonObject, treatment: Treatment): Treated {
  const found = new Findings(treatment);
  const contents = member(result, 'contents');
  if (!Array.isArray(contents)) return NOTHING;
  return finish(result, found, { contents: contents.map((item, i) => treatContents(item, `/contents/${i}`, found)) });
}

/** Reads what prompts/get gave (MCP prompts#getting-a-prompt). */
export function readPromptResult(result: JsonObject, treatment: Treatment): Treated {
  const found = new Findings(treatment);
  const messages = member(result, 'messages');
  if (!Array.isArray(messages)) return NOTHING;
  return finish(result, found, {
    messages: messages.map((message, i) => {
      const content = member(message, 'content');
      const treated = treatItem(content, `/messages/${i}/content`, found);
      return isObject(message) && treated !== content ? { ...message, content: treated ?? null } : message;
    }),
  });
}

/** A question of a server (elicitation, sampling): nothing in it is changed, so it has only findings. */
export function readQuestion(params: JsonObject, treatment: Treatment): readonly Finding[] {
  const found = new Findings(treatment);
  const { _meta, ...shown } = params;
  readStrings(shown as JsonObject, '', found);
  return found.all;
}

/** One text alone, e.g. of an error. */
export function readLoneText(text: string, treatment: Treatment): Omit<Treated, 'value'> & { readonly text: string } {
  const found = new Findings(treatment);
  const shown = found.treat(text, '');
  return { findings: found.all, score: found.score, isUnmarkable: false, text: shown };
}

function finish(result: JsonObject, found: Findings, changed: Record<string, Json>): Treated {
  const { all, score, isUnmarkable, isChanged } = found;
  if (all.length === 0 && !isChanged) return NOTHING;
  const meta = member(result, '_meta');
  const value = {
    ...result,
    ...(isChanged ? changed : {}),
    _meta: { ...(isObject(meta) ? meta : {}), [SCAN_MARK]: toMeta(all, found.treatment) },
  };
  return { findings: all, score, isUnmarkable, value };
}

/** Without evidence: the model need not read it twice. */
function toMeta(findings: readonly Finding[], { server, item }: Provenance): JsonObject {
  return {
    server,
    ...(item === undefined ? {} : { item }),
    findings: findings.map(({ id, tier, owasp, where, why }) => ({ id, tier, owasp, where, why })),
  };
}

function treatItem(item: Json | undefined, where: string, found: Findings): Json {
  if (!isObject(item)) return item ?? null;
  const type = member(item, 'type');
  if (type === 'resource_link') return treatLink(item, where, found);
  if (type === 'resource') {
    const resource = member(item, 'resource');
    const treated = treatContents(resource, `${where}/resource`, found);
    return treated === resource ? item : { ...item, resource: treated };
  }
  if (type === 'image' || type === 'audio') return treatMedia(item, where, found);
  const text = member(item, 'text');
  if (typeof text !== 'string') return item;
  const shown = found.treat(text, `${where}/text`);
  return shown === text ? item : { ...item, text: shown };
}

/** A picture is a picture: what says so and names another type would be opened by another program. */
function treatMedia(item: JsonObject, where: string, found: Findings): Json {
  const [type, mime] = [String(member(item, 'type')), member(item, 'mimeType')];
  if (typeof mime === 'string' && mime.toLowerCase().startsWith(`${type}/`)) return item;
  const shown = JSON.stringify(String(mime).slice(0, 80));
  found.all.push({
    ...{ id: 'wrong-type', tier: 'review', owasp: 'MCP05', where: `${where}/mimeType`, start: 0, end: 0 },
    evidence: shown,
    why: `It says it is of type ${type}, and its bytes are of another type.`,
    fix: 'Ask the author of the server to name the type it sends.',
  });
  if (found.treatment.isShown) return item;
  found.isChanged = true;
  return {
    type: 'text',
    text: `[Sallyport: an item of type ${type} was taken out, because its mimeType is ${shown}.]`,
  };
}

/** Contents of a resource: a URI and a text, or bytes nobody reads here. */
function treatContents(contents: Json | undefined, where: string, found: Findings): Json {
  if (!isObject(contents)) return contents ?? null;
  const text = member(contents, 'text');
  if (typeof text !== 'string') return contents;
  const shown = found.treat(text, `${where}/text`);
  return shown === text ? contents : { ...contents, text: shown };
}

/** A link that may not lead there is words about it: clients follow links by themselves. */
function treatLink(link: JsonObject, where: string, found: Findings): Json {
  for (const key of ['name', 'title', 'description']) {
    const text = member(link, key);
    if (typeof text === 'string') found.read(text, `${where}/${key}`);
  }
  const uri = member(link, 'uri');
  const { resources, ownHost, isShown } = found.treatment;
  const why = typeof uri === 'string' ? findForbiddenUri(uri, { settings: resources, ownHost }) : 'it has no URI';
  if (why === undefined) return link;
  const shown = JSON.stringify(String(uri).slice(0, 200)).replace(/:/g, '[:]');
  found.all.push({
    ...{ id: 'forbidden-link', tier: 'review', owasp: 'MCP05', where: `${where}/uri`, start: 0, end: 0 },
    evidence: shown.slice(0, 200),
    why: `It links to a place where links may not lead: ${why}.`,
    fix: 'Allow it with "scan.resources" where this is meant.',
  });
  if (isShown) return link;
  found.isChanged = true;
  return { type: 'text', text: `[Sallyport: a link to ${shown} was taken out, because ${why}.]` };
}

const MAX_DEPTH = 64;
const MAX_STRINGS = 100_000;

/** Strings of structured content, where nothing can be marked. */
function readStrings(value: Json, where: string, found: Findings): void {
  let left = MAX_STRINGS;
  const visit = (one: Json | undefined, path: string, depth: number): void => {
    if (left <= 0 || depth > MAX_DEPTH) return;
    if (typeof one === 'string') {
      left--;
      // Two words at least: identifiers want nothing.
      if (one.length >= MIN_TEXT) found.read(one, path);
    } else if (Array.isArray(one))
      for (const [i, item] of one.entries()) visit(item as Json, `${path}/${i}`, depth + 1);
    else if (isObject(one))
      for (const [key, item] of Object.entries(one)) visit(item, `${path}/${toPointer(key)}`, depth + 1);
  };
  visit(value, where, 0);
}

const MIN_TEXT = 12;

/** RFC 6901. */
function toPointer(key: string): string {
  return key.slice(0, 64).replaceAll('~', '~0').replaceAll('/', '~1');
}
