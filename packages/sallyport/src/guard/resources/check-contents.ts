import type { ResourceSettings } from '../../config/resources-section.ts';
import { matchesGlob } from '../../core/glob.ts';
import { type FileType, type FileUse, findFileType, findTextType, HEAD_BYTES } from './file-types.ts';

/** What is wrong with contents. */
export interface ContentProblem {
  readonly id: 'too-large' | 'no-base64' | 'program' | 'wrong-type';
  /** A sentence for people and models. */
  readonly why: string;
  readonly fix: string;
  /** Whether the contents go on, marked. */
  readonly isBearable: boolean;
}

export const CONTENT_FIXES: Readonly<Record<ContentProblem['id'], string>> = {
  'too-large': 'Ask for a part of it, or raise "scan.resources.maxBytes".',
  'no-base64': 'Ask the author of the server to encode it.',
  program: 'Where this is meant, name its type in "scan.resources.programs".',
  'wrong-type': 'Ask the author of the server to name the type it sends.',
};

type Limits = Pick<ResourceSettings, 'maxBytes' | 'programs'>;

/** Media types that say "a program". */
const PROGRAM_TYPE =
  /^application\/(?:x-(?:msdownload|msdos-program|dosexec|executable|elf|sharedlib|mach-binary|msi|ms-shortcut|apple-diskimage|rpm|debian-package)|vnd\.(?:microsoft\.portable-executable|android\.package-archive|debian\.binary-package)|java-archive|wasm|hta)$/;
/** What a declared type promises; a type that is not named promises nothing. */
const PROMISES: readonly (readonly [RegExp, readonly FileUse[]])[] = [
  [/^image\/svg/, ['drawing']],
  [/^image\//, ['picture', 'film']],
  [/^(?:audio|video)\//, ['sound', 'film']],
  [/^font\//, ['font']],
  [/^application\/pdf$/, ['document']],
  [/^text\/(?:plain|markdown|csv|tab-separated-values)$/, ['script']],
  [/^application\/(?:json|[a-z0-9.-]{1,64}\+json|x-ndjson|yaml|toml)$/, ['script']],
];

/** Contents that are bytes: a blob of a resource, or what an image or sound is made of. */
export function checkBlob(blob: string, declared: string | undefined, limits: Limits): ContentProblem | undefined {
  if (!isBase64(blob)) return refuse('no-base64', 'It says that it is base64, and it is not.');
  const size = Math.floor((blob.length * 3) / 4);
  if (size > limits.maxBytes + 2) return tooLarge(size, limits);
  const head = Buffer.from(blob.slice(0, HEAD_BASE64), 'base64').toString('latin1');
  return judgeType(findFileType(head), declared, { limits, isText: false });
}

/** Contents that are text. */
export function checkText(text: string, declared: string | undefined, limits: Limits): ContentProblem | undefined {
  // No text has fewer bytes than characters, or more than three times as many.
  if (text.length * 3 > limits.maxBytes) {
    const size = Buffer.byteLength(text);
    if (size > limits.maxBytes) return tooLarge(size, limits);
  }
  return judgeType(findTextType(text), declared, { limits, isText: true });
}

function judgeType(
  type: FileType | undefined,
  declared: string | undefined,
  { limits, isText }: { readonly limits: Limits; readonly isText: boolean },
): ContentProblem | undefined {
  const mime = declared === undefined ? undefined : toEssence(declared);
  const isProgram = type?.use === 'program' || (!isText && mime !== undefined && PROGRAM_TYPE.test(mime));
  if (isProgram) {
    // One that says it is something else was not what the operator allowed.
    const isNamed = mime !== undefined && limits.programs.some((glob) => matchesGlob(glob.toLowerCase(), mime));
    if (isNamed && (type === undefined || !isPromised(mime))) return undefined;
    return refuse('program', `It is a program (${type?.name ?? mime}), and programs are not handed out.`);
  }
  const promised = mime === undefined ? undefined : PROMISES.find(([pattern]) => pattern.test(mime))?.[1];
  if (type === undefined || promised === undefined || promised.includes(type.use)) return undefined;
  return {
    id: 'wrong-type',
    why: `It says that it is ${shown(mime ?? '')}, and it begins as ${/^[aeiou]/i.test(type.name) ? 'an' : 'a'} ${type.name} does.`,
    fix: CONTENT_FIXES['wrong-type'],
    isBearable: isText,
  };
}

/** Does this type promise something that no program is? */
function isPromised(mime: string): boolean {
  return PROMISES.some(([pattern]) => pattern.test(mime));
}

/** `Text/Plain; charset=x` -> `text/plain`. */
function toEssence(mime: string): string {
  return (mime.slice(0, 256).split(';')[0] ?? '').trim().toLowerCase();
}

function shown(mime: string): string {
  return JSON.stringify(mime.slice(0, 80));
}

/** Characters that hold the head. */
const HEAD_BASE64 = Math.ceil(HEAD_BYTES / 3) * 4 + 8;

/** RFC 4648 sections 4 and 5, with the line breaks of MIME; the padding may be left out, as many encoders do. */
function isBase64(blob: string): boolean {
  let end = blob.length;
  while (end > 0 && /\s/.test(blob.charAt(end - 1))) end--;
  const padded = end;
  while (end > 0 && padded - end < 2 && blob.charAt(end - 1) === '=') end--;
  const digits = blob.slice(0, end);
  if (/[^A-Za-z0-9+/_\r\n-]/.test(digits)) return false;
  const breaks = digits.includes('\n') || digits.includes('\r') ? (digits.match(/[\r\n]/g)?.length ?? 0) : 0;
  const count = digits.length - breaks;
  return count % 4 !== 1 && (padded === end || (count + padded - end) % 4 === 0);
}

function tooLarge(size: number, { maxBytes }: Limits): ContentProblem {
  return refuse('too-large', `It has ${size} bytes, and ${maxBytes} are the most.`);
}

function refuse(id: ContentProblem['id'], why: string): ContentProblem {
  return { id, why, fix: CONTENT_FIXES[id], isBearable: false };
}
