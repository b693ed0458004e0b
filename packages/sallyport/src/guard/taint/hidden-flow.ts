import type { TaintFlow } from '../../config/taint-section.ts';
import { definitionOf, type Envelope } from '../../core/envelope.ts';
import { type JsonObject, member, memberText } from '../../core/json.ts';
import { findOddParameters } from '../scan/parameters.ts';
import { bears, CLEAN } from './labels.ts';
import type { AskedCall, AskedLeaf, Range } from './read-call.ts';
import type { Recall, Source } from './taint-ports.ts';
import { type Evidence, isKnownAddress, isSeenFirst, isTyped } from './vouch.ts';
import { pathOf } from './walk-leaves.ts';

/** The question of a server that a model answers. */
export const SAMPLING = 'sampling/createMessage';

/** Two pieces in a row are no coincidence. */
const PIECES = 2;

/** An answer of a model is a text of its own, and a short sentence such as "The capital of France is Paris." occurs in many. */
const PIECES_OF_ANSWER = 4;

/**
 * Text of one server on its way to another in a place where honest work has no use for it, so that nobody sees it leave:
 * an address whose host a third text named, an encoding that the parameter does not ask for, a parameter that asks for the
 * conversation, the answer of the client's model to a server. Of arguments that are too long to be read nothing is said
 * here: what they decide is judged by other rules.
 */
export function findHidden(
  rule: TaintFlow,
  asked: AskedCall,
  evidence: Evidence,
): { readonly leaf: AskedLeaf; readonly source: Source } | undefined {
  const { call, recall } = evidence;
  for (const leaf of asked.leaves) {
    if (leaf.leaf.isName || !mayHide(leaf, call)) continue;
    if (isTyped(leaf, evidence) || isSeenFirst(leaf, recall)) continue;
    const source = findCarried(leaf, rule, evidence);
    if (source !== undefined) return { leaf, source };
  }
  return undefined;
}

/** Whether text in this argument would be hidden there; all others need not be read for it. */
export function mayHide({ leaf, role }: Pick<AskedLeaf, 'leaf' | 'role'>, call: Envelope): boolean {
  if (call.kind === 'client_response') return call.target === SAMPLING;
  if (role === 'address') return true;
  const name = pathOf(leaf)[0] ?? '';
  return asksForConversation(definitionOf(call), name) || isEncodedUnasked(leaf.text, call, name);
}

function findCarried(leaf: AskedLeaf, rule: TaintFlow, evidence: Evidence): Source | undefined {
  const { call, recall } = evidence;
  const own = call.upstream;
  const least = call.kind === 'client_response' ? PIECES_OF_ANSWER : PIECES;
  if (call.kind === 'client_response' || leaf.role !== 'address') {
    if (!ENCODED.test(leaf.leaf.text)) return findFrom(leaf.grams, rule, { recall, not: [own], least });
    // What came in this encoding may go in it: nobody hid it on the way.
    const came = findFrom([leaf.grams[0], leaf.encoded[0]], rule, { recall, not: [], least });
    return came === undefined ? findFrom(leaf.encoded, rule, { recall, not: [own], least }) : undefined;
  }
  // Who gave the whole address gave all that is in it, and a host that the user or a trusted source named is meant.
  if (isKnownAddress(leaf, evidence) || leaf.origin < 0 || !recall.has(leaf.origin)) return undefined;
  const namer = recall.sourceOf(leaf.origin)?.upstream;
  return namer === undefined ? undefined : findFrom(leaf.grams, rule, { recall, not: [own, namer], least });
}

function findFrom(
  [from, to]: Range,
  { from: label }: TaintFlow,
  { recall, not, least }: { readonly recall: Recall; readonly not: readonly string[]; readonly least: number },
): Source | undefined {
  let count = 0;
  for (let i = from; i < to; i++) {
    if (!recall.has(i)) continue;
    const marks = recall.marksOf(i);
    if ((marks & CLEAN) !== 0 || !bears(marks, label)) continue;
    const source = recall.sourceOf(i);
    if (source === undefined || not.includes(source.upstream)) continue;
    count++;
    if (count >= least) return source;
  }
  return undefined;
}

/** One run of base64 or hex, long enough to carry a sentence. */
const ENCODED = /^[A-Za-z0-9+/_-]{24,}={0,2}$/;
const NAMES_ENCODING =
  /base-?64|\bhex|binary|bytes|blob|encoded|\bpng\b|image|audio|attachment|token|key|hash|digest|\bid\b/i;

function isEncodedUnasked(text: string, call: Envelope, name: string): boolean {
  if (!ENCODED.test(text)) return false;
  const property = member(member(member(definitionOf(call), 'inputSchema'), 'properties'), name);
  const isBinary = ['contentEncoding', 'contentMediaType', 'format'].some((key) => member(property, key) !== undefined);
  return !isBinary && !NAMES_ENCODING.test(`${name.replaceAll('_', ' ')} ${memberText(property, 'description')}`);
}

const asking = new WeakMap<JsonObject, ReadonlySet<string>>();

function asksForConversation(definition: JsonObject, name: string): boolean {
  let names = asking.get(definition);
  if (names === undefined) {
    const odd = findOddParameters(definition);
    names = new Set(odd.flatMap((one) => (one.rule.id === 'parameter-asks-conversation' ? [one.name] : [])));
    asking.set(definition, names);
  }
  return names.has(name);
}
