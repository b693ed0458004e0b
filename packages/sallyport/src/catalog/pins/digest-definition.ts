import { createHash } from 'node:crypto';
import { arrayElements, objectMembers, type Span } from '../../core/json-scan.ts';

/** Members that are left out. */
export interface Left {
  /** Names of members joined with `/`. */
  readonly paths: readonly string[];
  /** Only where their JSON is like this; left out: always. */
  readonly like?: RegExp;
}

const NOTHING: Left = { paths: [] };

/** What a schema of any use stays far below. Deeper text is not walked: it could take the stack, or minutes. */
const MAX_DEPTH = 128;

/**
 * The digest of a definition as its server wrote it: SHA-256 over canonical JSON, so that the order of members, white
 * space and escapes do not matter and everything else does. A member that stands twice counts twice: readers disagree
 * about which one holds, and a change of either is a change for some of them.
 * @param text one JSON value that `JSON.parse` accepts
 */
export function digestDefinition(text: string, left: Left = NOTHING): string {
  return createHash('sha256').update(toCanonicalText(text, left)).digest('hex');
}

function toCanonicalText(text: string, left: Left): string {
  const bytes = Buffer.from(text.trim(), 'utf8');
  try {
    return new CanonicalText(bytes, left).write({ start: 0, end: bytes.length }, '', 0);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return `as written:${text}`;
  }
}

const OPEN_BRACE = 0x7b;
const OPEN_BRACKET = 0x5b;

class CanonicalText {
  readonly #bytes: Buffer;
  readonly #left: Left;

  constructor(bytes: Buffer, left: Left) {
    this.#bytes = bytes;
    this.#left = left;
  }

  write(at: Span, path: string, depth: number): string {
    if (depth > MAX_DEPTH) throw new RangeError('too deep to be walked');
    const first = this.#bytes[at.start];
    if (first === OPEN_BRACE) return this.#writeObject(at, path, depth);
    if (first === OPEN_BRACKET) {
      const elements = arrayElements(this.#bytes, at.start);
      return `[${elements.map((one) => this.write(one, `${path}[]/`, depth + 1)).join(',')}]`;
    }
    const literal = this.#bytes.toString('utf8', at.start, at.end).trim();
    // A number beyond what a double holds is another number for other readers: its digits count.
    return literal.startsWith('"') ? JSON.stringify(JSON.parse(literal)) : literal;
  }

  #isLeft(path: string, { key, start, end }: Span & { readonly key: string }): boolean {
    const { paths, like } = this.#left;
    if (!paths.includes(path + key)) return false;
    return like === undefined || like.test(this.#bytes.toString('utf8', start, end).trim());
  }

  #writeObject(at: Span, path: string, depth: number): string {
    const members = objectMembers(this.#bytes, at.start).filter((one) => !this.#isLeft(path, one));
    members.sort((one, other) => (one.key < other.key ? -1 : one.key > other.key ? 1 : one.start - other.start));
    const parts = members.map(
      (one) => `${JSON.stringify(one.key)}:${this.write(one, `${path}${one.key}/`, depth + 1)}`,
    );
    return `{${parts.join(',')}}`;
  }
}
