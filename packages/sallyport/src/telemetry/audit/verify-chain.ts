import type { KeyObject } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { readHead } from './head-file.ts';
import { GENESIS, hashLine, isKind, type LinePlace, readPlace, readPrev } from './record-line.ts';
import type { Head } from './recover.ts';
import { isSealed } from './sealer.ts';
import { firstSeqOf, listSegments } from './segments.ts';

/** The first thing that is wrong with a chain, in words, at the first record that is not what it was. */
export interface ChainProblem {
  readonly seq: number;
  readonly segment: string;
  readonly problem: string;
}

export interface ChainReport {
  readonly chain: string;
  readonly segments: number;
  readonly records: number;
  readonly seals: number;
  readonly first: number;
  /** Where the chain ends; to be kept elsewhere, so that `--expect` can ask for it later. */
  readonly last: Head;
  /** Records after the last seal: whoever can write the files can change these unseen. */
  readonly unsealed: number;
  /** How often Sallyport started without having stopped: it was killed or lost power, and what was not on disk is missing. */
  readonly killed: number;
  readonly bad: ChainProblem | undefined;
}

export interface ChainFile {
  readonly name: string;
  read(): Promise<Buffer>;
}

export interface Expectations {
  /** Whose seals count. */
  readonly key: KeyObject;
  readonly head: Head | 'forged' | undefined;
  /** States of the chain that were seen before and must still be part of it. */
  readonly known?: readonly KnownHead[] | undefined;
}

export interface KnownHead extends Head {
  /** Who vouches for it, in words, e.g. `the database`. */
  readonly source: string;
  /** Left out: it is true. Asked only where it matters. */
  isSigned?(): boolean;
}

/** Checks one chain on disk. */
export async function verifyChainFolder(
  directory: string,
  chain: string,
  { key, known }: Omit<Expectations, 'head'>,
): Promise<ChainReport> {
  const folder = join(directory, chain);
  // The head first: a Sallyport that runs goes on writing, and records may be newer than their head, never older.
  const head = await readHead({ folder, chain }, key);
  const names = await listSegments(folder);
  const files = names.map((name) => ({ name, read: () => readFile(join(folder, name)) }));
  return verifyChain(chain, files, { key, head, known });
}

export async function verifyChain(
  chain: string,
  files: readonly ChainFile[],
  expectations: Expectations,
): Promise<ChainReport> {
  const walk = new ChainWalk(chain, expectations);
  for (const [index, file] of files.entries()) {
    for (const _ of walk.readSegment(file.name, await file.read(), index === files.length - 1)) await nextTurn();
    if (walk.bad !== undefined) break;
  }
  return walk.report(files.length);
}

/** Records between two pauses: some 5 ms. */
const AT_ONCE = 500;

class ChainWalk {
  bad: ChainProblem | undefined;
  readonly #chain: string;
  readonly #expectations: Expectations;
  /** By number; those before `nextKnown` are behind us. */
  readonly #known: readonly KnownHead[];
  #nextKnown = 0;
  #segment = '';
  #records = 0;
  #seals = 0;
  #first = 0;
  #last: Head = { seq: 0, hash: GENESIS };
  #sealedSeq = 0;
  #killed = 0;
  /** Since the last `start` there was no `stop`. */
  #isRunning = false;
  /** What the first record follows, where that is not the beginning: must have been retired. */
  #missingBefore: Head | undefined;

  constructor(chain: string, expectations: Expectations) {
    this.#chain = chain;
    this.#expectations = expectations;
    this.#known = (expectations.known ?? []).toSorted((a, b) => a.seq - b.seq);
  }

  /** Pauses now and then: a Sallyport that verifies answers calls meanwhile. */
  *readSegment(name: string, bytes: Buffer, isLast: boolean): Generator<void> {
    this.#segment = name;
    let at = 0;
    let before: LinePlace | undefined;
    while (at < bytes.length) {
      if (this.#records % AT_ONCE === AT_ONCE - 1) yield;
      const place = readPlace(bytes, at);
      if (place === undefined) {
        // A Sallyport that is writing now, or was killed: half a record at the very end is no forgery.
        if (isLast && bytes.indexOf(0x0a, at) < 0) return;
        this.#fail(this.#isIntact(bytes, before) ? this.#last.seq + 1 : this.#last.seq, 'is not a record');
        return;
      }
      if (!this.#follow(bytes, place, before)) return;
      before = place;
      at = place.end + 1;
    }
  }

  #follow(bytes: Buffer, place: LinePlace, before: LinePlace | undefined): boolean {
    const prev = readPrev(bytes, place);
    const named = before === undefined ? firstSeqOf(this.#segment) : 0;
    if (named !== 0 && place.seq !== named) return this.#fail(named, 'does not stand where its segment begins');
    if (this.#records === 0) {
      this.#first = place.seq;
      if (place.seq !== 1 || prev !== GENESIS) this.#missingBefore = { seq: place.seq - 1, hash: prev };
    } else if (place.seq !== this.#last.seq + 1) return this.#failPlace(bytes, place, before);
    else if (prev !== this.#last.hash) return this.#failHash(bytes, place);
    const line = bytes.subarray(place.start, place.end);
    this.#last = { seq: place.seq, hash: hashLine(line) };
    this.#records++;
    return this.#checkAgainstKnown(bytes, place, line);
  }

  #checkAgainstKnown(bytes: Buffer, place: LinePlace, line: Buffer): boolean {
    const { key, head } = this.#expectations;
    const { seq, hash } = this.#last;
    if (isKind(bytes, place, 'seal')) {
      // The name of the chain is in the seal: a chain of another writer cannot stand in for this one.
      if (!isSealed(line, key) || !line.includes(`"chain":"${this.#chain}"`))
        return this.#fail(seq, 'is a seal that this key did not make');
      this.#seals++;
      this.#sealedSeq = seq;
    } else if (isKind(bytes, place, 'retired')) {
      // Signed by itself: whoever deleted the beginning could write one behind the last seal.
      if (!isSealed(line, key)) return this.#fail(seq, 'tells of a retirement that this key did not sign');
      this.#excuse(line);
    } else if (isKind(bytes, place, 'start')) {
      if (this.#isRunning) this.#killed++;
      this.#isRunning = true;
    } else if (isKind(bytes, place, 'stop')) this.#isRunning = false;
    if (head !== 'forged' && head?.seq === seq && head.hash !== hash)
      return this.#fail(seq, 'differs from the one the head file vouches for');
    return this.#checkAgainstSeen(seq, hash);
  }

  #checkAgainstSeen(seq: number, hash: string): boolean {
    for (let known = this.#known[this.#nextKnown]; known !== undefined; known = this.#known[++this.#nextKnown]) {
      if (known.seq > seq) return true;
      if (known.seq === seq && known.hash !== hash && known.isSigned?.() !== false)
        return this.#fail(seq, `differs from the one that ${known.source} knows`);
    }
    return true;
  }

  /** A `retired` record tells that the records before the first one were deleted by us, when their time had come. */
  #excuse(line: Buffer): void {
    const { upTo, hash } = JSON.parse(line.toString('utf8')) as { readonly upTo?: unknown; readonly hash?: unknown };
    if (upTo === this.#missingBefore?.seq && hash === this.#missingBefore?.hash) this.#missingBefore = undefined;
  }

  /** The number is not the next one: something is missing, stands twice, stands elsewhere, or the number was changed. */
  #failPlace(bytes: Buffer, place: LinePlace, before: LinePlace | undefined): false {
    const expected = this.#last.seq + 1;
    if (before !== undefined && !this.#isIntact(bytes, before)) return this.#fail(this.#last.seq, 'was changed');
    const after = readPlace(bytes, place.end + 1);
    if (after?.seq === expected + 1 && place.seq !== expected + 2) return this.#fail(expected, 'was changed');
    if (place.seq > expected) return this.#fail(expected, `is missing: ${place.seq} stands in its place`);
    return this.#fail(place.seq, `stands twice: again after ${expected - 1}, a copy or a fork`);
  }

  /** Two neighbours disagree: the one whose own hash its other neighbour knows is not the one that was changed. */
  #failHash(bytes: Buffer, place: LinePlace): false {
    const { head } = this.#expectations;
    const hash = hashLine(bytes.subarray(place.start, place.end));
    const after = readPlace(bytes, place.end + 1);
    const isKnown =
      after === undefined
        ? head !== 'forged' && head?.seq === place.seq && head.hash === hash
        : readPrev(bytes, after) === hash;
    return this.#fail(isKnown ? place.seq - 1 : place.seq, 'was changed');
  }

  /** A line feed that was put in or taken out leaves lines that are no JSON. */
  #isIntact(bytes: Buffer, place: LinePlace | undefined): boolean {
    if (place === undefined) return true;
    try {
      JSON.parse(bytes.toString('utf8', place.start, place.end));
      return true;
    } catch {
      return false;
    }
  }

  #fail(seq: number, problem: string): false {
    this.bad ??= { seq, segment: this.#segment, problem: `record ${seq} ${problem}` };
    return false;
  }

  report(segments: number): ChainReport {
    if (this.bad === undefined) this.#checkEnds(segments);
    return {
      chain: this.#chain,
      segments,
      records: this.#records,
      seals: this.#seals,
      first: this.#first,
      last: this.#last,
      unsealed: this.#last.seq - Math.max(this.#sealedSeq, this.#first - 1),
      killed: this.#killed,
      bad: this.bad,
    };
  }

  #checkEnds(segments: number): void {
    const { head } = this.#expectations;
    const { seq } = this.#last;
    if (this.#missingBefore !== undefined) {
      this.#fail(1, `is missing, and all up to ${this.#missingBefore.seq}: they were not retired by Sallyport`);
      return;
    }
    // The furthest of those that are true.
    const beyond = this.#known.findLast((known) => known.seq > seq && known.isSigned?.() !== false);
    if (beyond !== undefined)
      this.#fail(seq + 1, `is missing, and all up to ${beyond.seq}, which ${beyond.source} knows: the end was cut off`);
    if (head !== undefined && head !== 'forged' && head.seq > seq)
      this.#fail(seq + 1, `is missing, and all up to ${head.seq}: the end was cut off`);
    if (head === 'forged') this.#fail(seq, 'cannot be vouched for: the head file is not signed with this key');
    else if (head === undefined && segments > 0) this.#fail(seq, 'may not be the last one: the head file is missing');
  }
}
