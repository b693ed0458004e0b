import type { Tool } from '../../core/call.ts';
import type { Clock } from '../../core/clock.ts';
import type { Log } from '../../core/log.ts';
import type { AnnouncedList } from '../contract.ts';
import type { KnownList } from '../known-list.ts';
import { Behind } from './behind.ts';
import { defineItem, defineSaid, digestItem, digestOfTool } from './define-item.ts';
import { findRemoved } from './find-removed.ts';
import type { Inspection, Peer, ReadPage } from './inspection.ts';
import { type Met, metAlone, type NamedDigest, type Removed, toolsOf } from './met.ts';
import { MetSightings } from './met-sightings.ts';
import { type ArrivalOf, Peers, type ProgramOf } from './peers.ts';
import {
  type Definition,
  describeHeld,
  FIRST_SIGHT,
  judge,
  LISTS,
  type Pin,
  type PinFacts,
  type PinKind,
  type PinRules,
  type PinState,
  type Sighting,
  toHold,
  whyHeld,
} from './pin.ts';
import {
  createEntry,
  type Entry,
  hasFindings,
  isTwin,
  noteApproved,
  noteContent,
  noteFound,
  noteMet,
  notePage,
  noteSeen,
  toFacts,
} from './pin-entry.ts';
import type { Offer, PinGate, PinListener, ServerPins } from './pin-gate.ts';
import { PinReader } from './pin-reader.ts';
import { type FoundAgain, readAgain } from './read-again.ts';
import { createServerPins } from './server-pins.ts';
import { compareStanding, toStanding } from './standing.ts';
import { tellSightings } from './tell-sightings.ts';
import { whyUnlistedHeld } from './unlisted.ts';

export interface PinBookPorts {
  rules(): PinRules;
  /** Writes down what was seen, behind. */
  keep(sightings: readonly Sighting[]): void;
  readonly log: Log;
  /** Reads definitions before anybody may use them. Left out: nobody does. */
  readonly inspection?: Inspection | undefined;
  /** Left out: time stands still. */
  readonly clock?: Clock | undefined;
  /** Left out: all that ever were are there, and came at once. */
  readonly arrival?: ArrivalOf | undefined;
  /** Left out: every server is a program of its own. */
  readonly program?: ProgramOf | undefined;
  /** Runs it soon, and behind. Left out: what was read is not read again because others are known by now. */
  later?(work: () => void): void;
}

/** Items of one kind of one server; the largest real list has some thousands. */
const MAX_ENTRIES = 50_000;
/** Pages of one server: whoever reads them names them. */
const MAX_PAGES = 1000;

/** Which definitions are approved. Everything it does not know is quarantined. */
export class PinBook implements PinGate {
  readonly #ports: PinBookPorts;
  readonly #servers = new Map<string, Map<PinKind, Map<string, Entry>>>();
  readonly #faces = new Map<string, ServerPins>();
  readonly #listeners = new Set<PinListener>();
  readonly #deciders = new Set<(server: string) => void>();
  readonly #holders = new Set<(held: readonly Sighting[]) => void>();
  /** Server -> the approved definition of its program, for telling what it was before. */
  readonly #programs = new Map<string, string>();
  readonly #peers: Peers;
  #looked = new WeakSet<KnownList>();

  readonly #reader: PinReader;
  readonly #again: Behind<FoundAgain>;

  constructor(ports: PinBookPorts) {
    this.#ports = ports;
    this.#peers = new Peers({
      now: () => ports.clock?.now() ?? 0,
      arrival: ports.arrival ?? (() => 0),
      program: ports.program ?? (() => undefined),
    });
    this.#reader = new PinReader({ ...ports, isSettled: (item) => this.#peers.isSettled(item) });
    const parts = { servers: this.#servers, reader: this.#reader, peers: this.#peers };
    this.#again = new Behind({
      begin: () => readAgain(parts),
      note: (found) => this.#noteAgain(found),
      later: ports.later,
    });
  }

  /** Decisions of earlier runs, of a command line, or of another Sallyport on the same state. */
  adopt(pins: readonly Pin[]): void {
    const touched = new Map<string, Set<AnnouncedList>>();
    const programs = new Set<string>();
    for (const pin of pins) {
      const entry = this.#find(pin.server, pin.kind, pin.name) ?? this.#add(pin.server, pin.kind, pin.name);
      if (entry === undefined) continue;
      const isUnread = pin.approvedBy === FIRST_SIGHT;
      const isSame =
        entry.approved === pin.approved?.digest && entry.rejected === pin.rejected && entry.isUnread === isUnread;
      const shown = this.#shown(pin, entry);
      noteApproved(entry, pin.approved, isUnread);
      if (pin.found !== undefined && !entry.found.has(pin.found.digest)) noteFound(entry, pin.found);
      entry.rejected = pin.rejected;
      if (pin.seen !== undefined && (entry.seen ?? pin.seen.digest) === pin.seen.digest) noteSeen(entry, pin.seen);
      this.#notePeer(pin, entry);
      if (pin.kind === 'tools' && !isUnread) this.#peers.setFresh(pin.server, pin.name, false);
      for (const { content } of [pin.approved, pin.seen].filter((one) => one !== undefined))
        noteContent(entry, content);
      if (pin.kind === 'program') this.#noteProgram(pin.server, pin.approved?.text);
      if (isSame) continue;
      // A decision about another program than the one that runs ends nobody's calls.
      if (pin.kind === 'program' && shown !== this.#shown(pin, entry)) programs.add(pin.server);
      const lists = touched.get(pin.server) ?? new Set();
      const list = LISTS.get(pin.kind);
      // What was not met here yet stands in no list: told now, a client would read the old one and not look again.
      if (list !== undefined && shown !== this.#shown(pin, entry)) lists.add(list);
      touched.set(pin.server, lists);
    }
    for (const [server, lists] of touched) this.#announce(server, [...lists]);
    for (const server of programs) this.#announceProgram(server);
  }

  /** Which of the definitions met under this name may be used, as one text. */
  #shown(pin: Pin, entry: Entry): string {
    const rules = this.#ports.rules();
    return [...entry.met]
      .map((digest) => entry.twins.get(digest) ?? digest)
      .filter((digest) => judge(rules, toFacts(pin, entry, digest), digest) === 'approved')
      .join(' ');
  }

  /** Other rules from here on. Nobody is told of what stands as it stood: an announcement ends programs and their calls. */
  reconsider(use: () => void): void {
    const standing = () => toStanding(this.#servers, (...item) => this.#judge(...item).state);
    const before = standing();
    use();
    this.#looked = new WeakSet();
    // What the rules before had nobody read is read now.
    for (const server of before.keys()) this.#announce(server, []);
    for (const [server, kinds] of compareStanding(before, standing())) {
      this.#announce(server, [...new Set(kinds.flatMap((kind) => LISTS.get(kind) ?? []))]);
      // One that is held does not run: it may be met otherwise now.
      if (kinds.includes('program') || this.#stateOfProgram(server) !== 'approved') this.#announceProgram(server);
    }
  }

  /** Told when somebody decided about the program of a server that was looked at here. */
  onProgram(listener: (server: string) => void): () => void {
    this.#deciders.add(listener);
    return () => this.#deciders.delete(listener);
  }

  /** Told of what is held for what reading it found. */
  onHeld(listener: (held: readonly Sighting[]) => void): () => void {
    this.#holders.add(listener);
    return () => this.#holders.delete(listener);
  }

  /** What the command of a server runs now. `undefined`: it may be started. */
  meetProgram(server: string, definition: Definition): Exclude<PinState, 'approved'> | undefined {
    if (this.#meet(server, 'program', { name: '', definition })?.approve === true)
      this.#noteProgram(server, definition.text);
    const { state } = this.#judge(server, 'program', { name: '', digest: definition.digest });
    return state === 'approved' ? undefined : state;
  }

  /** Why a page that was just read may not be shown; each is met when it is read, because no list tells its content. */
  meetPage(server: string, uri: string, page: Definition & { readonly read?: ReadPage }): string | undefined {
    const { read, ...definition } = page;
    if (read !== undefined && this.#ports.rules().inspection?.(server) !== 'off')
      notePage(this.#find(server, 'ui', uri) ?? this.#add(server, 'ui', uri), page.digest, read);
    this.#meet(server, 'ui', { name: uri, definition });
    return this.#why(server, 'ui', { name: uri, digest: page.digest });
  }

  #meet(server: string, kind: PinKind, { name, definition }: { name: string; definition: Definition }) {
    const sighting = this.#look(server, kind, metAlone(name, definition));
    if (sighting === undefined) return undefined;
    this.#ports.keep([sighting]);
    this.#tell(server, [sighting]);
    return sighting;
  }

  /** The approved definition of what its command runs. */
  approvedProgram(server: string): string | undefined {
    return this.#programs.get(server);
  }

  isUndecided(server: string): boolean {
    const { approved, rejected } = this.#find(server, 'program', '') ?? {};
    return approved === undefined && rejected === undefined;
  }

  /** Others are read beside what may be used. */
  #notePeer({ server, kind, name }: Pick<Pin, 'server' | 'kind' | 'name'>, entry: Entry): void {
    if (kind !== 'tools') return;
    const { approved = '', approvedText } = entry;
    const isUsed =
      judge(this.#ports.rules(), toFacts({ server, kind, name }, entry, approved), approved) === 'approved';
    if (this.#peers.set(server, name, isUsed ? approvedText : undefined)) this.#again.wake();
  }

  #noteProgram(server: string, text: string | undefined): void {
    if (text === undefined) this.#programs.delete(server);
    else this.#programs.set(server, text);
  }

  #announceProgram(server: string): void {
    for (const listener of this.#deciders) listener(server);
  }

  onChange(listener: PinListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** What is read again meanwhile would be read once more beside the tools that come. */
  look(server: string, offer: Offer): Generator<undefined, void> {
    return this.#again.before(this.#lookAt(server, offer));
  }

  *#lookAt(server: string, offer: Offer): Generator<undefined, void> {
    const met = new MetSightings((some) => this.#ports.keep(some));
    const looked = this.#looked;
    let peers: readonly Peer[] | undefined;
    const beside = () => {
      peers ??= this.#peers.beside(server, toolsOf(offer.lists));
      return peers;
    };
    for (const [kind, definition] of defineSaid(offer.identity))
      met.add(this.#look(server, kind, { ...metAlone('', definition), beside }));
    for (const list of offer.lists) {
      if (looked.has(list)) continue;
      let found: ReadonlyMap<string, Removed> | undefined;
      const removed = () => {
        found ??= findRemoved(this.#servers.get(server)?.get(list.kind), list);
        return found;
      };
      for (const item of list.items) {
        const define = () => defineItem(list.kind, item);
        const digest = digestItem(list.kind, item);
        met.add(this.#look(server, list.kind, { name: item.id, digest, define, removed, beside }));
        yield;
      }
      // Last: a look that was given up half-way is begun anew.
      looked.add(list);
    }
    if (met.all.length === 0) return;
    this.#faces.delete(server);
    met.keep();
    this.#tell(server, met.all);
  }

  /** Something else was found in what is offered already. */
  #noteAgain({ entry, ...sighting }: FoundAgain): void {
    const { server, kind, name, found } = sighting;
    const isHeld = () => this.#why(server, kind, { name, digest: found.digest }) !== undefined;
    const wasHeld = isHeld();
    noteFound(entry, found);
    this.#ports.keep([sighting]);
    this.#notePeer(sighting, entry);
    const list = LISTS.get(kind);
    // Whoever asks for a list again finds it as it was while only the findings are others.
    if (isHeld() !== wasHeld) this.#announce(server, list === undefined ? [] : [list]);
    this.#tell(server, [sighting]);
  }

  #look(server: string, kind: PinKind, met: Met): Sighting | undefined {
    const entry = this.#find(server, kind, met.name) ?? this.#add(server, kind, met.name);
    if (entry === undefined) return undefined;
    noteMet(entry, met.digest);
    // Nothing to decide: it was decided, or is asked, in the other era of the server.
    if (kind === 'tools' && isTwin(entry, met)) return undefined;
    const rules = this.#ports.rules();
    const isFirst = entry.approved === undefined && entry.rejected === undefined;
    const mayApprove = isFirst && rules.mode === 'laptop';
    const isKnown = entry.seen === met.digest;
    const isDue = this.#reader.isDue({ server, kind }, entry, met.digest);
    if (isKnown && !mayApprove && !isDue) return undefined;
    const definition = met.define();
    const source = isFirst ? met.removed().get(definition.content) : undefined;
    const named = { server, kind, name: met.name };
    const found = isDue ? this.#reader.read(named, { definition, entry }, met.beside()) : undefined;
    if (found !== undefined) noteFound(entry, found);
    const hold = toHold(rules, { server, hold: entry.found.get(met.digest)?.hold });
    // Under a new name a definition that is held would be a first sight again.
    const approve = mayApprove && !source?.isHeld && hold === undefined;
    if (isKnown && !approve && found === undefined) return undefined;
    noteContent(entry, definition.content);
    if (approve) noteApproved(entry, definition, true);
    noteSeen(entry, definition);
    this.#notePeer(named, entry);
    if (approve && kind === 'tools') this.#peers.setFresh(server, met.name, true);
    // Kept with what is offered: whoever decides is shown it, however often the server goes back and forth.
    const whole = entry.found.get(met.digest)?.whole;
    return { ...named, definition, renamedFrom: source?.name, approve, found: whole };
  }

  /** Why this tool may not be called. A few look-ups: every call asks. */
  whyHeld({ upstream, name, publicName, definition, isUnlisted }: Tool): string | undefined {
    if (isUnlisted === true) return this.#whyUnlisted(upstream, 'tools', name);
    return this.#why(upstream, 'tools', { name, shown: publicName, digest: digestOfTool(definition) });
  }

  #whyUnlisted(server: string, kind: PinKind, name: string): string | undefined {
    const entries = this.#servers.get(server)?.get(kind);
    const named = { server, kind, name, isFull: (entries?.size ?? 0) >= MAX_ENTRIES };
    return whyUnlistedHeld(this.#ports.rules(), entries?.get(name), named);
  }

  of(server: string): ServerPins {
    let face = this.#faces.get(server);
    if (face === undefined) {
      face = createServerPins({
        server,
        why: (kind, item) => this.#why(server, kind, item),
        whyUnlisted: (kind, name) => this.#whyUnlisted(server, kind, name),
        state: (kind, item) => this.#judge(server, kind, item).state,
        stateOfProgram: () => this.#stateOfProgram(server),
        hasFindings: (kind, { name, digest }) => hasFindings(this.#find(server, kind, name), digest),
      });
      this.#faces.set(server, face);
    }
    return face;
  }

  /** The program that was met last; one that was never looked at holds nothing. */
  #stateOfProgram(server: string): PinState {
    const digest = [...(this.#find(server, 'program', '')?.met ?? [])].at(-1);
    return digest === undefined ? 'approved' : this.#judge(server, 'program', { name: '', digest }).state;
  }

  #why(server: string, kind: PinKind, item: NamedDigest): string | undefined {
    const { state, facts } = this.#judge(server, kind, item);
    return whyHeld(state, { ...facts, shown: item.shown });
  }

  #judge(server: string, kind: PinKind, { name, digest: own }: NamedDigest): { state: PinState; facts: PinFacts } {
    const entry = this.#find(server, kind, name);
    const digest = own === undefined ? undefined : (entry?.twins.get(own) ?? own);
    const facts = toFacts({ server, kind, name }, entry, digest);
    // A definition that came in no list has no digest: nothing is known of it, so it is new.
    const state = digest === undefined ? 'new' : judge(this.#ports.rules(), facts, digest);
    return { state, facts: { ...facts, hold: toHold(this.#ports.rules(), facts) } };
  }

  #find(server: string, kind: PinKind, name: string): Entry | undefined {
    return this.#servers.get(server)?.get(kind)?.get(name);
  }

  /** `undefined`: a server that invents names without end; what is not remembered is held. */
  #add(server: string, kind: PinKind, name: string): Entry | undefined {
    const kinds = this.#servers.get(server) ?? new Map<PinKind, Map<string, Entry>>();
    this.#servers.set(server, kinds);
    const entries = kinds.get(kind) ?? new Map<string, Entry>();
    kinds.set(kind, entries);
    if (entries.size >= (kind === 'ui' ? MAX_PAGES : MAX_ENTRIES)) return undefined;
    const entry = createEntry();
    entries.set(name, entry);
    return entry;
  }

  #announce(server: string, lists: readonly AnnouncedList[]): void {
    this.#faces.delete(server);
    for (const listener of this.#listeners) listener(server, lists);
  }

  #tell(server: string, sightings: readonly Sighting[]): void {
    const why = ({ kind, name, definition: { digest } }: Sighting) => {
      const { state, facts } = this.#judge(server, kind, { name, digest });
      return describeHeld(state, facts);
    };
    tellSightings(this.#ports.log, sightings, why);
    const rules = this.#ports.rules();
    const held = sightings.filter((one) => toHold(rules, { server, hold: one.found?.hold }) !== undefined && why(one));
    if (held.length > 0) for (const listener of this.#holders) listener(held);
  }
}
