import type { Tool } from '../../core/call.ts';
import type { JsonObject } from '../../core/json.ts';
import { isObject, member } from '../../core/json.ts';
import type { Log } from '../../core/log.ts';
import type { AnnouncedList } from '../contract.ts';
import { type Item, writeItem } from '../items.ts';
import type { KnownList } from '../known-list.ts';
import { defineInstructions, digestItem, digestOfTool, toDefinition } from './define-item.ts';
import {
  type Definition,
  judge,
  type Pin,
  type PinKind,
  type PinRules,
  type Sighting,
  toItemName,
  whyHeld,
} from './pin.ts';

/** What one server offers at the moment to some client. */
export interface Offer {
  readonly instructions: string | undefined;
  readonly lists: Iterable<KnownList>;
}

/** Why the items of one server are held; another object as soon as an answer may be another one. */
export interface ServerPins {
  whyHeld(kind: PinKind, item: Item): string | undefined;
  whyInstructionsHeld(text: string | undefined): string | undefined;
  /** The annotations of an approved tool. */
  approvedHints(item: Item): JsonObject;
}

export interface PinBookPorts {
  rules(): PinRules;
  /** Writes down what was seen, behind. */
  keep(sightings: readonly Sighting[]): void;
  readonly log: Log;
}

type PinListener = (server: string, lists: readonly AnnouncedList[]) => void;

/** What is remembered of a pin while Sallyport runs: digests; the texts stay in the database. */
interface Entry {
  approved: string | undefined;
  rejected: string | undefined;
  seen: string | undefined;
  contents: Set<string>;
}

const NO_HINTS: JsonObject = Object.freeze({});
const LISTS: ReadonlyMap<PinKind, AnnouncedList> = new Map([
  ['tools', 'tools'],
  ['prompts', 'prompts'],
  ['resources', 'resources'],
  ['resourceTemplates', 'resources'],
]);
/** Names in one line of the log. */
const MAX_NAMED = 50;

/** Which definitions are approved. Everything it does not know is quarantined. */
export class PinBook {
  readonly #ports: PinBookPorts;
  readonly #servers = new Map<string, Map<PinKind, Map<string, Entry>>>();
  readonly #faces = new Map<string, ServerPins>();
  readonly #listeners = new Set<PinListener>();
  #looked = new WeakSet<KnownList>();

  constructor(ports: PinBookPorts) {
    this.#ports = ports;
  }

  /** Decisions of earlier runs, of a command line, or of another Sallyport on the same state. */
  adopt(pins: readonly Pin[]): void {
    const touched = new Map<string, Set<AnnouncedList>>();
    for (const pin of pins) {
      const entry = this.#entry(pin.server, pin.kind, pin.name);
      const isSame = entry.approved === pin.approved?.digest && entry.rejected === pin.rejected;
      entry.approved = pin.approved?.digest;
      entry.rejected = pin.rejected;
      entry.seen ??= pin.seen?.digest;
      entry.contents = new Set([pin.approved?.content, pin.seen?.content].filter((one) => one !== undefined));
      if (isSame) continue;
      const lists = touched.get(pin.server) ?? new Set();
      const list = LISTS.get(pin.kind);
      if (list !== undefined) lists.add(list);
      touched.set(pin.server, lists);
    }
    for (const [server, lists] of touched) this.#announce(server, [...lists]);
  }

  /** The rules are others now: everything is looked at again. */
  reconsider(): void {
    this.#looked = new WeakSet();
    for (const server of this.#servers.keys()) this.#announce(server, ['tools', 'prompts', 'resources']);
  }

  onChange(listener: PinListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Looks at everything a server offers before any of it is shown. What was looked at costs next to nothing. */
  observe(server: string, offer: Offer): void {
    const sightings: Sighting[] = [];
    const instructions = this.#look(server, 'instructions', {
      name: '',
      digest: defineInstructions(offer.instructions).digest,
      define: () => defineInstructions(offer.instructions),
      others: new Set(),
    });
    if (instructions !== undefined) sightings.push(instructions);
    for (const list of offer.lists) {
      if (this.#looked.has(list)) continue;
      this.#looked.add(list);
      const others = new Set(list.items.map(({ id }) => id));
      for (const item of list.items) {
        const define = () => toDefinition(list.kind, writeItem(item, undefined));
        const digest = digestItem(list.kind, item);
        const sighting = this.#look(server, list.kind, { name: item.id, digest, define, others });
        if (sighting !== undefined) sightings.push(sighting);
      }
    }
    if (sightings.length === 0) return;
    this.#faces.delete(server);
    this.#ports.keep(sightings);
    this.#tell(server, sightings);
  }

  #look(server: string, kind: PinKind, met: Met): Sighting | undefined {
    const entry = this.#entry(server, kind, met.name);
    const isFirst = entry.approved === undefined && entry.rejected === undefined;
    const mayApprove = isFirst && this.#ports.rules().mode === 'laptop';
    if (entry.seen === met.digest && !mayApprove) return undefined;
    const definition = met.define();
    const source = isFirst ? this.#findRenamed(server, kind, { definition, others: met.others }) : undefined;
    // Under a new name a definition that is held would be a first sight again.
    const approve = mayApprove && !source?.isHeld;
    if (entry.seen === met.digest && !approve) return undefined;
    entry.seen = met.digest;
    entry.contents.add(definition.content);
    if (approve) entry.approved = met.digest;
    return { server, kind, name: met.name, definition, renamedFrom: source?.name, approve };
  }

  /** A known item with this content that the server no longer has. */
  #findRenamed(server: string, kind: PinKind, met: { definition: Definition; others: ReadonlySet<string> }) {
    const { content } = met.definition;
    if (content === '') return undefined;
    for (const [name, entry] of this.#servers.get(server)?.get(kind) ?? []) {
      if (met.others.has(name) || !entry.contents.has(content)) continue;
      return {
        name,
        isHeld: entry.approved === undefined || (entry.seen !== entry.approved && entry.seen !== undefined),
      };
    }
    return undefined;
  }

  /** Why this tool may not be called. A few look-ups: every call asks. */
  whyHeld(tool: Tool): string | undefined {
    return this.#why(tool.upstream, 'tools', { name: tool.name, digest: digestOfTool(tool.definition) });
  }

  of(server: string): ServerPins {
    let face = this.#faces.get(server);
    if (face === undefined) {
      face = Object.freeze({
        whyHeld: (kind: PinKind, item: Item) =>
          this.#why(server, kind, { name: item.id, digest: digestItem(kind, item) }),
        whyInstructionsHeld: (text: string | undefined) =>
          this.#why(server, 'instructions', { name: '', digest: defineInstructions(text).digest }),
        approvedHints: (item: Item) => {
          const held = this.#why(server, 'tools', { name: item.id, digest: digestItem('tools', item) });
          const hints = member(item.definition, 'annotations');
          return held === undefined && isObject(hints) ? hints : NO_HINTS;
        },
      });
      this.#faces.set(server, face);
    }
    return face;
  }

  #why(server: string, kind: PinKind, item: { name: string; digest: string | undefined }): string | undefined {
    const entry = this.#servers.get(server)?.get(kind)?.get(item.name);
    const facts = { server, kind, name: item.name, approved: entry?.approved, rejected: entry?.rejected };
    // A definition that came in no list has no digest: nothing is known of it, so it is new.
    const state = item.digest === undefined ? 'new' : judge(this.#ports.rules(), facts, item.digest);
    return whyHeld(state, facts);
  }

  #entry(server: string, kind: PinKind, name: string): Entry {
    const kinds = this.#servers.get(server) ?? new Map<PinKind, Map<string, Entry>>();
    this.#servers.set(server, kinds);
    const entries = kinds.get(kind) ?? new Map<string, Entry>();
    kinds.set(kind, entries);
    const entry = entries.get(name) ?? {
      approved: undefined,
      rejected: undefined,
      seen: undefined,
      contents: new Set(),
    };
    entries.set(name, entry);
    return entry;
  }

  #announce(server: string, lists: readonly AnnouncedList[]): void {
    this.#faces.delete(server);
    for (const listener of this.#listeners) listener(server, lists);
  }

  /** First sights in one line, every item that is held in one of its own. */
  #tell(server: string, sightings: readonly Sighting[]): void {
    const { log } = this.#ports;
    const isWord = (one: Sighting) => one.kind !== 'instructions' || one.definition.text !== '""';
    const approved = sightings.filter((one) => one.approve && isWord(one));
    if (approved.length > 0) {
      const items = approved.slice(0, MAX_NAMED).map((one) => toItemName(one.kind, one.name));
      log.info(
        { upstream: server, items, count: approved.length },
        'seen for the first time and approved: see sallyport pin list',
      );
    }
    const held = sightings.filter((one) => !one.approve && isWord(one));
    for (const { kind, name, definition, renamedFrom } of held.slice(0, MAX_NAMED)) {
      const why = this.#why(server, kind, { name, digest: definition.digest });
      if (why !== undefined)
        log.warn(
          { upstream: server, item: toItemName(kind, name), ...(renamedFrom === undefined ? {} : { renamedFrom }) },
          why,
        );
    }
  }
}

/** One item as it was met, described in full only when that is needed. */
interface Met {
  readonly name: string;
  readonly digest: string;
  define(): Definition;
  /** The names in the same list. */
  readonly others: ReadonlySet<string>;
}
