import { type ByteSource, toSource, WINDOW } from '../../core/byte-source.ts';
import { toTokens } from '../../core/estimate-tokens.ts';
import type { Json, JsonObject } from '../../core/json.ts';
import { arrayElements, type Member, OPEN_BRACKET, objectMembers, QUOTE, type Span } from '../../core/json-scan.ts';
import type { Answer } from '../../core/message.ts';
import type { Pause } from '../../core/pace.ts';
import { openBase64 } from './base64-source.ts';
import { countText, type TextSize } from './count-text.ts';
import { ALL_CUTS, type Cut, type CutKinds, type FittedJson, findLevel, findRoot, fitJson } from './fit-json.ts';
import { fitText } from './fit-text.ts';
import { isSameDocument } from './same-document.ts';
import { type LeftOut, type Stored, toNote } from './say-cut.ts';
import { openText, type TextSource } from './text-source.ts';
import { type LinkFacts, toLink, writeFitted } from './write-fitted.ts';

/** The most that a client takes of one result. */
export interface Budget {
  /** Of what a model reads, in UTF-16 units. */
  readonly characters: number;
  /** Estimated; `undefined`: characters alone count. */
  readonly tokens: number | undefined;
  /** Of one image, sound or file, decoded. */
  readonly binaryBytes: number;
}

/** A part of a result that goes to the store. */
export interface Whole {
  readonly form: 'text' | 'json' | 'binary';
  readonly mimeType: string;
  readonly source: ByteSource;
}

export interface FitPorts {
  keep(whole: Whole): Promise<Stored>;
  /** Does structured content keep the promise of the output schema? Yes, where there is none. */
  allows(structured: Json): boolean | Promise<boolean>;
  readonly pause: Pause;
}

export interface Fitted {
  readonly answer: Answer;
  readonly leftOut: readonly LeftOut[];
}

/** Smaller answers fit, whatever is in them: no character and no token is less than a byte of JSON. */
export function fits({ bytes }: Answer, { characters, tokens, binaryBytes }: Budget): boolean {
  return bytes.length <= Math.min(characters, tokens ?? characters, binaryBytes);
}

/**
 * The result of a call within the budget of its client. Content and structured content each are measured, since a model is given
 * one of the two. What is left out goes to the store first.
 * @returns `undefined`: it fits as it is
 */
export async function fitResult(answer: Answer, budget: Budget, ports: FitPorts): Promise<Fitted | undefined> {
  if (!isFinished(answer)) return undefined;
  return new ResultFit(answer, budget, ports).run();
}

/** A result that asks for input, or stands for a task, holds no content yet. */
function isFinished(answer: Answer): boolean {
  if (!answer.isResult || answer.hasMember('task')) return false;
  return (answer.resultMember('resultType') ?? 'complete') === 'complete';
}

interface Block {
  readonly index: number;
  readonly span: Span;
  /** Of its text, a string with its quotes. */
  readonly text: Span | undefined;
  readonly data: { readonly span: Span; readonly mimeType: string } | undefined;
}

interface OpenBlock extends Block {
  readonly source: TextSource;
}

/** For the words that say what was left out. Bytes. */
const RESERVED = 1_500;
/** A block of text says little in less. Bytes. */
const SMALLEST_BLOCK = 200;
/** With more parts cut, the whole content is one artifact. */
const MAX_ARTIFACTS = 4;

/** In structured content, beside its own members. */
const NOTE = 'dev.sallyport/artifact';

/** What an output schema may allow, the shortest first. */
const LADDER: readonly CutKinds[] = [
  ALL_CUTS,
  { items: true, members: false, texts: true },
  { items: true, members: false, texts: false },
  { items: false, members: false, texts: true },
];

class ResultFit {
  readonly #answer: Answer;
  readonly #bytes: Buffer;
  readonly #budget: Budget;
  readonly #ports: FitPorts;
  readonly #leftOut: LeftOut[] = [];
  /** Blocks of the content that are others now, as JSON text; empty: left out. By their index. */
  readonly #changed = new Map<number, string>();
  #structured: string | undefined;
  readonly #links: JsonObject[] = [];

  constructor(answer: Answer, budget: Budget, ports: FitPorts) {
    this.#answer = answer;
    this.#bytes = answer.bytes;
    this.#budget = budget;
    this.#ports = ports;
  }

  async run(): Promise<Fitted | undefined> {
    const content = this.#answer.memberSpan('content');
    const structured = this.#answer.memberSpan('structuredContent');
    const blocks = this.#readBlocks(content);
    for (const block of blocks) await this.#linkBinary(block);
    const texts = await this.#openTexts(blocks);
    const size = sumOf(texts.map(({ source }) => source.text));
    const share = this.#shareOf(size);
    const twin = structured && (await this.#fitStructured(structured, texts));
    const cut = texts.filter(({ index }) => index !== twin);
    if (share < 1 && content !== undefined) await this.#fitTexts(cut, content, share);
    if (this.#changed.size === 0 && this.#structured === undefined) return undefined;
    const [leftOut, links] = [this.#leftOut, this.#links];
    const parts = { blocks, changed: this.#changed, structured: this.#structured, leftOut, links };
    return { answer: writeFitted(this.#answer, parts), leftOut };
  }

  #readBlocks(content: Span | undefined): readonly Block[] {
    if (content === undefined || this.#bytes[content.start] !== OPEN_BRACKET) return [];
    return arrayElements(this.#bytes, content.start).map((span, index) => toBlock(this.#bytes, span, index));
  }

  async #openTexts(blocks: readonly Block[]): Promise<readonly OpenBlock[]> {
    const texts: OpenBlock[] = [];
    for (const block of blocks)
      if (block.text !== undefined)
        texts.push({ ...block, source: await openText(this.#bytes, block.text, this.#ports.pause) });
    return texts;
  }

  /** How much of a text of this size the client takes; 1: all. */
  #shareOf(size: TextSize): number {
    const { characters, tokens } = this.#budget;
    const byTokens = tokens === undefined ? 1 : tokens / Math.max(1, toTokens(size));
    return Math.min(1, characters / Math.max(1, size.characters), byTokens);
  }

  /** A large picture becomes a link; where it cannot be stored it stays. */
  async #linkBinary({ index, data }: Block): Promise<void> {
    if (data === undefined || ((data.span.end - data.span.start) * 3) / 4 <= this.#budget.binaryBytes) return;
    const source = await openBase64(await openText(this.#bytes, data.span, this.#ports.pause));
    if (source === undefined || source.size <= this.#budget.binaryBytes) return;
    const { mimeType } = data;
    const stored = await this.#ports.keep({ form: 'binary', mimeType, source });
    if ('problem' in stored) return;
    const where = `content[${index}]`;
    this.#leftOut.push({ where, form: 'binary', mimeType, bytes: source.size, stored, cuts: [] });
    this.#changed.set(index, JSON.stringify(toLink(stored, { mimeType, size: source.size, where })));
  }

  /** @returns the index of the block of text that says the same; `undefined`: none does */
  async #fitStructured(span: Span, texts: readonly OpenBlock[]): Promise<number | undefined> {
    const { pause } = this.#ports;
    const source = toSource(this.#bytes, span.start, span.end);
    const size: TextSize = { characters: 0, wide: 0, lines: 0 };
    for (let at = 0; at < source.size; at += WINDOW) {
      countText(await source.read(at, at + WINDOW), size);
      await pause();
    }
    const share = this.#shareOf(size);
    const twin = await this.#findTwin(source, texts);
    if (share >= 1) {
      // What the text says is here in fewer characters: nothing has to be left out.
      if (twin !== undefined && this.#shareOf(twin.source.text) < 1) this.#replaceText(twin, await readText(source));
      return twin?.index;
    }
    const budget = roomOf(source.size * share);
    const fitted = await this.#findAllowed(source, budget);
    if (fitted === undefined) {
      // Its schema allows no shorter one: a client that validates would refuse the result of a call that ran.
      this.#leftOut.push({ ...WHOLE, bytes: source.size });
      return undefined;
    }
    const stored = await this.#ports.keep({ form: 'json', mimeType: JSON_TYPE, source });
    const about = { form: 'json', mimeType: JSON_TYPE, bytes: source.size, stored, cuts: fitted.cuts, size } as const;
    this.#leftOut.push({ where: 'structuredContent', ...about });
    this.#structured = await this.#withNote(fitted.text, { stored, cuts: fitted.cuts });
    if (twin !== undefined) this.#replaceText(twin, fitted.text);
    this.#link(stored, { mimeType: JSON_TYPE, size: source.size, where: 'structuredContent' });
    return twin?.index;
  }

  /** Servers repeat structured content as text, for clients that know no other (MCP tools#structured-content). */
  async #findTwin(structured: ByteSource, texts: readonly OpenBlock[]): Promise<OpenBlock | undefined> {
    const large = texts.filter(({ source }) => source.size >= structured.size / 2);
    for (const one of large.slice(0, 2))
      if (await isSameDocument(structured, one.source, this.#ports.pause)) return one;
    return undefined;
  }

  async #findAllowed(source: ByteSource, budget: number) {
    const { pause } = this.#ports;
    let shortest: FittedJson | undefined;
    for (const kinds of LADDER) {
      const fitted = await fitJson(source, { budget, kinds, pause });
      if (fitted === undefined) return undefined;
      // What saves less than half is not worth an artifact.
      if (fitted.text.length >= (shortest?.text.length ?? source.size / 2)) continue;
      if (!(await this.#ports.allows(JSON.parse(fitted.text) as Json))) continue;
      shortest = fitted;
      if (fitted.text.length <= budget) return fitted;
    }
    // What may not be cut may be longer than the budget: still less than all of it.
    return shortest;
  }

  /** Some hosts give a model the structured content alone: it says itself what is left out, where its schema allows that. */
  async #withNote(text: string, note: Pick<LeftOut, 'stored' | 'cuts'>): Promise<string> {
    if (!text.startsWith('{')) return text;
    const member = `${JSON.stringify(NOTE)}:${JSON.stringify(toNote(note))}`;
    const noted = text === '{}' ? `{${member}}` : `${text.slice(0, -1)},${member}}`;
    return (await this.#ports.allows(JSON.parse(noted) as Json)) ? noted : text;
  }

  async #fitTexts(texts: readonly OpenBlock[], content: Span, share: number): Promise<void> {
    const total = texts.reduce((sum, { source }) => sum + source.size, 0);
    const room = roomOf(total * share);
    const { kept, dropped } = chooseBlocks(texts, room);
    const level = findLevel(
      kept.map(({ source }) => source.size),
      room,
    );
    const large = kept.filter(({ source }) => source.size > level);
    const isTogether = dropped.length > 0 || large.length > MAX_ARTIFACTS;
    const together = isTogether ? await this.#keepContent(content) : undefined;
    for (const block of large) await this.#fitBlock(block, level, together);
    for (const { index } of dropped) this.#changed.set(index, '');
    if (together === undefined) return;
    const head = kept.filter(({ index }) => index < (dropped[0]?.index ?? 0)).length;
    const cut: Cut = { path: '$', kind: 'items', head, tail: kept.length - head, all: texts.length };
    const cuts = dropped.length === 0 ? [] : [cut];
    const bytes = content.end - content.start;
    this.#leftOut.push({ where: 'content', form: 'json', mimeType: JSON_TYPE, bytes, stored: together, cuts });
    this.#link(together, { mimeType: JSON_TYPE, size: bytes, where: 'content' });
  }

  #keepContent({ start, end }: Span): Promise<Stored> {
    return this.#ports.keep({ form: 'json', mimeType: JSON_TYPE, source: toSource(this.#bytes, start, end) });
  }

  async #fitBlock(block: OpenBlock, level: number, together: Stored | undefined): Promise<void> {
    const { source, index } = block;
    const { pause, keep } = this.#ports;
    const isJson = (await findRoot(source, pause)) !== undefined;
    const fitted = isJson ? await fitJson(source, { budget: level, pause }) : undefined;
    const form = fitted === undefined ? 'text' : 'json';
    const mimeType = fitted === undefined ? 'text/plain' : JSON_TYPE;
    const stored = together ?? (await keep({ form, mimeType, source }));
    const where = `content[${index}]`;
    const about = { where, form, mimeType, bytes: source.size, stored, size: source.text } as const;
    if (fitted !== undefined) {
      this.#replaceText(block, fitted.text);
      this.#leftOut.push({ ...about, cuts: fitted.cuts });
    } else {
      const { characters, lines } = source.text;
      const text = await fitText(source, level, (kept) => {
        const [left, leftLines] = [characters - kept.characters, lines - kept.lines];
        return `[… ${left} characters${leftLines > 0 ? ` (${leftLines} lines)` : ''} left out here …]`;
      });
      this.#replaceText(block, text.text);
      this.#leftOut.push({ ...about, cuts: [], kept: { head: text.head, tail: text.tail } });
    }
    if (together === undefined) this.#link(stored, { mimeType, size: source.size, where });
  }

  #replaceText({ index, span, text }: Block, by: string): void {
    if (text === undefined) return;
    const [before, after] = [
      this.#bytes.toString('utf8', span.start, text.start),
      this.#bytes.toString('utf8', text.end, span.end),
    ];
    this.#changed.set(index, before + JSON.stringify(by) + after);
  }

  #link(stored: Stored, about: LinkFacts): void {
    if ('uri' in stored) this.#links.push(toLink(stored, about));
  }
}

const JSON_TYPE = 'application/json';

/** Structured content that is whole, because no shorter one is allowed. */
const WHOLE = {
  where: 'structuredContent',
  form: 'json',
  mimeType: JSON_TYPE,
  stored: { problem: 'it is here as a whole, because the output schema of the tool allows no shorter one' },
  cuts: [],
} as const;

function roomOf(bytes: number): number {
  return Math.floor(Math.max(bytes - RESERVED, bytes / 2));
}

function sumOf(sizes: readonly Readonly<TextSize>[]): TextSize {
  const sum: TextSize = { characters: 0, wide: 0, lines: 0 };
  for (const { characters, wide, lines } of sizes) {
    sum.characters += characters;
    sum.wide += wide;
    sum.lines += lines;
  }
  return sum;
}

function chooseBlocks(blocks: readonly OpenBlock[], room: number) {
  const costOf = ({ source }: OpenBlock) => Math.min(source.size, SMALLEST_BLOCK) + 30;
  let left = room * 0.75;
  let first = 0;
  while (first < blocks.length && left >= costOf(blocks[first] as OpenBlock))
    left -= costOf(blocks[first++] as OpenBlock);
  left = room * 0.25;
  let last = blocks.length;
  while (last > first && left >= costOf(blocks[last - 1] as OpenBlock)) left -= costOf(blocks[--last] as OpenBlock);
  return { kept: [...blocks.slice(0, first), ...blocks.slice(last)], dropped: blocks.slice(first, last) };
}

function toBlock(bytes: Buffer, span: Span, index: number): Block {
  const members = objectMembers(bytes, span.start);
  const inner = findMember(members, 'resource');
  // The text or the bytes of a file stand one level further in.
  const file = inner === undefined ? [] : objectMembers(bytes, inner.start);
  const text = [...members, ...file].find(({ key, start }) => key === 'text' && bytes[start] === QUOTE);
  const data = [findMember(members, 'data'), findMember(file, 'blob')].find((one) => one && bytes[one.start] === QUOTE);
  const type = findMember(members, 'mimeType') ?? findMember(file, 'mimeType');
  return { index, span, text, data: data && { span: data, mimeType: readType(bytes, type) } };
}

function findMember(members: readonly Member[], key: string): Member | undefined {
  return members.findLast((one) => one.key === key);
}

const MAX_TYPE = 128;

function readType(bytes: Buffer, span: Span | undefined): string {
  if (span === undefined || bytes[span.start] !== QUOTE || span.end - span.start > MAX_TYPE) return UNKNOWN_TYPE;
  return JSON.parse(bytes.toString('utf8', span.start, span.end)) as string; // True: it begins with a quote.
}

const UNKNOWN_TYPE = 'application/octet-stream';

async function readText(source: ByteSource): Promise<string> {
  return (await source.read(0, source.size)).toString('utf8');
}
