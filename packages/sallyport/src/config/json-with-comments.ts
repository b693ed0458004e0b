/**
 * JSON as people and editors write it: `//` and block comments, trailing commas, a byte order mark. Places are kept, so
 * that a problem can name its line and an edit can leave everything else, comments included, as it was.
 */
export interface JsonNode {
  readonly kind: 'object' | 'array' | 'scalar';
  /** Offsets in the text, half open. */
  readonly start: number;
  readonly end: number;
  /** Set for a scalar. */
  readonly scalar: string | number | boolean | null;
  readonly members: readonly JsonMember[];
  readonly items: readonly JsonNode[];
}

export interface JsonMember {
  readonly key: string;
  /** Where the key's opening quote stands. */
  readonly start: number;
  readonly value: JsonNode;
}

/** Why a text is no JSON. Never quotes the text: it may hold secrets. */
export interface JsonMistake {
  readonly offset: number;
  readonly message: string;
}

/** A configuration is a few levels deep; a file that is deeper is not one, and recursion must end. */
const MAX_DEPTH = 100;

export function parseJsonWithComments(text: string): JsonNode | JsonMistake {
  const reader = new JsonReader(text);
  try {
    return reader.readDocument();
  } catch (error) {
    if (error instanceof Mistake) return error.mistake;
    throw error;
  }
}

export function isMistake(result: JsonNode | JsonMistake): result is JsonMistake {
  return 'message' in result;
}

/** The value of a node, with every key an own property: `__proto__` is a name like any other. */
export function toValue(node: JsonNode): unknown {
  if (node.kind === 'scalar') return node.scalar;
  if (node.kind === 'array') return node.items.map(toValue);
  return Object.fromEntries(node.members.map(({ key, value }) => [key, toValue(value)]));
}

class Mistake extends Error {
  readonly mistake: JsonMistake;

  constructor(offset: number, message: string) {
    super(message);
    this.mistake = { offset, message };
  }
}

const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const WORD = /true|false|null/y;
const STRING = /"(?:[^"\\\n\r]|\\.)*"/y;
const SPACE = /[\s\uFEFF]+/y;

class JsonReader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  readDocument(): JsonNode {
    const node = this.#readValue(0);
    this.#skipSpace();
    if (this.#at < this.#text.length) throw new Mistake(this.#at, 'there is more text after the end of the value');
    return node;
  }

  #readValue(depth: number): JsonNode {
    if (depth > MAX_DEPTH) throw new Mistake(this.#at, `nested deeper than ${MAX_DEPTH} levels`);
    this.#skipSpace();
    const start = this.#at;
    const character = this.#text[start];
    if (character === '{') return this.#readObject(depth);
    if (character === '[') return this.#readArray(depth);
    const scalar = character === '"' ? this.#readString() : this.#readWord();
    return { kind: 'scalar', start, end: this.#at, scalar, members: [], items: [] };
  }

  #readObject(depth: number): JsonNode {
    const start = this.#at++;
    const members: JsonMember[] = [];
    const seen = new Set<string>();
    while (!this.#closes('}', members.length > 0)) {
      const keyStart = this.#at;
      if (this.#text[keyStart] !== '"') throw new Mistake(keyStart, 'a key in double quotes is missing here');
      const key = this.#readString();
      if (seen.has(key)) throw new Mistake(keyStart, `the key ${JSON.stringify(key)} stands here for the second time`);
      seen.add(key);
      this.#skipSpace();
      if (this.#text[this.#at] !== ':') throw new Mistake(this.#at, 'a colon is missing here');
      this.#at++;
      members.push({ key, start: keyStart, value: this.#readValue(depth + 1) });
    }
    return { kind: 'object', start, end: this.#at, scalar: null, members, items: [] };
  }

  #readArray(depth: number): JsonNode {
    const start = this.#at++;
    const items: JsonNode[] = [];
    while (!this.#closes(']', items.length > 0)) items.push(this.#readValue(depth + 1));
    return { kind: 'array', start, end: this.#at, scalar: null, members: [], items };
  }

  /** Stands before the next element, or past the closing bracket: then `true`. */
  #closes(bracket: string, needsComma: boolean): boolean {
    this.#skipSpace();
    if (needsComma && this.#text[this.#at] === ',') {
      this.#at++;
      this.#skipSpace();
    } else if (needsComma && this.#text[this.#at] !== bracket) {
      throw new Mistake(this.#at, `a comma or "${bracket}" is missing here`);
    }
    if (this.#text[this.#at] !== bracket) return false;
    this.#at++;
    return true;
  }

  #readString(): string {
    const start = this.#at;
    const written = this.#match(STRING);
    if (written === undefined) throw new Mistake(start, 'this text in quotes does not end on its line');
    try {
      return String(JSON.parse(written));
    } catch {
      throw new Mistake(start, 'this text has a control character or an unknown escape after a backslash');
    }
  }

  #readWord(): number | boolean | null {
    const written = this.#match(NUMBER) ?? this.#match(WORD);
    if (written === undefined) {
      const atEnd = this.#at >= this.#text.length;
      throw new Mistake(this.#at, atEnd ? 'the text ends too early' : 'a value is missing here');
    }
    return JSON.parse(written) as number | boolean | null; // the two patterns match nothing else
  }

  #skipSpace(): void {
    for (;;) {
      this.#match(SPACE);
      if (this.#text.startsWith('//', this.#at)) {
        const end = this.#text.indexOf('\n', this.#at);
        this.#at = end < 0 ? this.#text.length : end;
      } else if (this.#text.startsWith('/*', this.#at)) {
        const end = this.#text.indexOf('*/', this.#at + 2);
        if (end < 0) throw new Mistake(this.#at, 'this comment does not end');
        this.#at = end + 2;
      } else return;
    }
  }

  #match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0];
    if (found !== undefined) this.#at += found.length;
    return found;
  }
}
