import type { Finding, FindingTier } from '../../../core/finding.ts';
import { type Json, type JsonObject, member, memberText } from '../../../core/json.ts';
import { CONTENT_FIXES, type ContentProblem, checkBlob, checkText } from '../../resources/check-contents.ts';
import { type Forbidden, findForbiddenUri } from '../../resources/judge-uri.ts';
import type { Findings } from './findings.ts';

/** A picture is a picture: what says so and is something else would be opened by another program. `undefined`: it is. */
export function checkMedia(item: JsonObject, where: string, found: Findings): Json | undefined {
  const [type, mime, data] = [String(member(item, 'type')), member(item, 'mimeType'), member(item, 'data')];
  const shown = showType(mime);
  const isNamed = typeof mime === 'string' && mime.toLowerCase().startsWith(`${type}/`);
  const problem = !isNamed
    ? toWrongType(type, shown)
    : typeof data === 'string'
      ? checkBlob(data, mime, found.treatment.resources)
      : undefined;
  if (problem === undefined) return undefined;
  found.add(toFinding(problem, `${where}/${isNamed ? 'data' : 'mimeType'}`, shown));
  if (!takesOut(found)) return undefined;
  found.noteChange(`${where}: an item of type ${type} is taken out`);
  return toLine(`an item of type ${type} was taken out. ${problem.why} ${NEXT}`);
}

/** What a model can do about what is taken out. */
const NEXT = 'Only the operator of this gateway can allow it: tell the user if you need it.';

/** Links and contents are taken out for servers set to `clean`, and by rules that the operator wrote; else they are noted. */
function takesOut({ treatment: { mode, resources } }: Findings): boolean {
  return mode === 'clean' || (mode === 'warn' && resources.inResults);
}

export interface CheckedContents {
  /** As far as they may go on. */
  readonly contents: JsonObject;
  /** Nothing of them may. */
  readonly isWithheld: boolean;
}

/** Size, type and address of the contents of a resource, read or embedded. */
export function checkContents(given: JsonObject, where: string, found: Findings): CheckedContents {
  const contents = withoutForbiddenUri(given, where, found);
  const [text, blob, mime] = [member(contents, 'text'), member(contents, 'blob'), member(contents, 'mimeType')];
  const declared = typeof mime === 'string' ? mime : undefined;
  const { resources } = found.treatment;
  // Both may stand there: clients take either.
  const inBlob = typeof blob === 'string' ? checkBlob(blob, declared, resources) : undefined;
  const inText = typeof text === 'string' ? checkText(text, declared, resources) : undefined;
  const problem = inBlob ?? inText;
  if (problem === undefined) return { contents, isWithheld: false };
  found.add(toFinding(problem, `${where}/${inBlob === undefined ? 'text' : 'blob'}`, showType(mime)));
  if (problem.isBearable || !takesOut(found)) return { contents, isWithheld: false };
  const said = `${problem.why} ${NEXT}`;
  // What was read is nothing but these contents: a request that is refused says more than one that is answered by a line.
  if (where.startsWith('/contents/')) found.refusal ??= said;
  found.noteChange(`${where}: the contents are taken out`);
  const line = `[Sallyport: the contents were taken out. ${said}]`;
  return {
    contents: { uri: member(contents, 'uri') ?? NO_ADDRESS, mimeType: 'text/plain', text: line },
    isWithheld: true,
  };
}

/** Words about a link that may not lead there: clients follow links by themselves. `undefined`: it may. */
export function checkLink(link: JsonObject, where: string, found: Findings): Json | undefined {
  const uri = memberText(link, 'uri');
  const forbidden = uri === '' ? NO_URI : findForbidden(uri, false, found);
  if (forbidden === undefined) return undefined;
  found.add(toLinkFinding(uri, forbidden, `${where}/uri`));
  if (!takesOut(found)) return undefined;
  found.noteChange(`${where}: a link is taken out`);
  return toLine(`a link to ${showUri(uri)} was taken out, because ${forbidden.why}. ${NEXT}`);
}

const NO_URI: Forbidden = { why: 'it has no URI', fix: 'Ask the author of the server what it links to.' };

/** What stands in for an address that nobody is to open. */
const NO_ADDRESS = 'urn:sallyport:taken-out';

/** The contents are there, whatever address they name; but whoever asks for it again would go there. */
function withoutForbiddenUri(contents: JsonObject, where: string, found: Findings): JsonObject {
  const uri = member(contents, 'uri');
  if (typeof uri !== 'string') return contents;
  const forbidden = findForbidden(uri, true, found);
  if (forbidden === undefined) return contents;
  found.add(toLinkFinding(uri, forbidden, `${where}/uri`));
  if (!takesOut(found)) return contents;
  found.noteChange(`${where}/uri: the address is taken out`);
  return { ...contents, uri: NO_ADDRESS };
}

function findForbidden(uri: string, isRead: boolean, { treatment }: Findings): Forbidden | undefined {
  const { resources, ownHost, answers } = treatment;
  return findForbiddenUri(uri, { settings: resources, ownHost, isRead }, answers);
}

function toWrongType(type: string, shown: string): ContentProblem {
  return {
    id: 'wrong-type',
    why: `It says that it is of type ${type}, and its mimeType is ${shown}.`,
    fix: CONTENT_FIXES['wrong-type'],
    isBearable: false,
  };
}

export const FORBIDDEN_LINK = { id: 'forbidden-link', why: 'It links to a place where links may not lead' } as const;
/** Of everything that is found in what a client would open. */
export const CONTENT_OWASP = 'MCP05';

export function contentTierOf(id: ContentProblem['id']): FindingTier {
  return id === 'program' ? 'block' : 'review';
}

function toFinding({ id, why, fix }: ContentProblem, where: string, evidence: string): Finding {
  return { id, tier: contentTierOf(id), owasp: CONTENT_OWASP, where, start: 0, end: 0, evidence, why, fix };
}

function toLinkFinding(uri: string, { why, fix }: Forbidden, where: string): Finding {
  return {
    ...{ id: FORBIDDEN_LINK.id, tier: 'review', owasp: CONTENT_OWASP, where, start: 0, end: 0 },
    evidence: showUri(uri),
    why: `${FORBIDDEN_LINK.why}: ${why}.`,
    fix,
  };
}

function showType(mime: Json | undefined): string {
  return JSON.stringify(String(mime).slice(0, 80));
}

function showUri(uri: string): string {
  return JSON.stringify(uri.slice(0, 190)).replace(/:/g, '[:]').slice(0, 200);
}

function toLine(said: string): JsonObject {
  return { type: 'text', text: `[Sallyport: ${said}]` };
}
