/** What a file is good for, to whoever opens it. */
export type FileUse =
  | 'program'
  | 'script'
  | 'page'
  | 'drawing'
  | 'document'
  | 'archive'
  | 'picture'
  | 'sound'
  | 'film'
  | 'font';

/** A format that is told by how its bytes begin. */
export interface FileType {
  /** As people call it. */
  readonly name: string;
  readonly use: FileUse;
}

/** Bytes from the start that have to be there to tell a type. */
export const HEAD_BYTES = 1_024;

interface Signature extends FileType {
  /** As Latin-1. */
  readonly begins: string;
  /** Where it stands. Left out: at the start. */
  readonly at?: number;
}

const of = (name: string, use: FileUse, ...begins: string[]): Signature[] =>
  begins.map((one) => ({ name, use, begins: one }));

const ELF: FileType = { name: 'ELF program', use: 'program' };

/** From the formats' own specifications; of formats that begin alike the longer signature stands first. */
const SIGNATURES: readonly Signature[] = [
  { ...ELF, begins: '\x7fELF' },
  ...of('Mach-O program', 'program', '\xfe\xed\xfa\xce', '\xfe\xed\xfa\xcf', '\xce\xfa\xed\xfe', '\xcf\xfa\xed\xfe'),
  // Java classes and universal Mach-O begin alike.
  ...of('Java class or Mach-O program', 'program', '\xca\xfe\xba\xbe'),
  ...of('WebAssembly program', 'program', '\x00asm'),
  ...of('Android program', 'program', 'dex\n03', 'dex\n04'),
  // Shortcuts name a command that runs when they are opened.
  ...of('Windows shortcut', 'program', 'L\x00\x00\x00\x01\x14\x02\x00'),
  ...of('Debian package', 'program', '!<arch>\ndebian'),
  ...of('RPM package', 'program', '\xed\xab\xee\xdb'),
  ...of('PDF document', 'document', '%PDF-'),
  ...of('PostScript document', 'document', '%!PS', '\xc5\xd0\xd3\xc6'),
  ...of('RTF document', 'document', '{\\rtf'),
  // Old Office documents with macros, and Windows installers.
  ...of('OLE document or installer', 'document', '\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1'),
  ...of('SQLite database', 'document', 'SQLite format 3\x00'),
  ...of('ZIP archive', 'archive', 'PK\x03\x04', 'PK\x05\x06', 'PK\x07\x08'),
  ...of('gzip archive', 'archive', '\x1f\x8b\x08'),
  ...of('7z archive', 'archive', "7z\xbc\xaf'\x1c"),
  ...of('RAR archive', 'archive', 'Rar!\x1a\x07'),
  ...of('xz archive', 'archive', '\xfd7zXZ\x00'),
  ...of('bzip2 archive', 'archive', 'BZh91AY&SY', 'BZh61AY&SY', 'BZh11AY&SY'),
  ...of('Zstandard archive', 'archive', '\x28\xb5\x2f\xfd'),
  ...of('cabinet archive', 'archive', 'MSCF\x00\x00\x00\x00'),
  { name: 'tar archive', use: 'archive', begins: 'ustar', at: 257 },
  ...of('PNG picture', 'picture', '\x89PNG\r\n\x1a\n'),
  ...of('JPEG picture', 'picture', '\xff\xd8\xff'),
  ...of('GIF picture', 'picture', 'GIF87a', 'GIF89a'),
  ...of('TIFF picture', 'picture', 'II*\x00', 'MM\x00*'),
  ...of('icon', 'picture', '\x00\x00\x01\x00', '\x00\x00\x02\x00'),
  ...of('MP3 sound', 'sound', 'ID3'),
  ...of('FLAC sound', 'sound', 'fLaC'),
  ...of('Ogg sound or film', 'film', 'OggS'),
  ...of('Matroska film', 'film', '\x1a\x45\xdf\xa3'),
  ...of('font', 'font', 'wOFF', 'wOF2', 'OTTO\x00', '\x00\x01\x00\x00\x00'),
];
const RIFF: ReadonlyMap<string, FileType> = new Map<string, FileType>([
  ['WEBP', { name: 'WebP picture', use: 'picture' }],
  ['WAVE', { name: 'WAVE sound', use: 'sound' }],
  ['AVI ', { name: 'AVI film', use: 'film' }],
]);
const PE: FileType = { name: 'Windows program', use: 'program' };
const HTML: FileType = { name: 'HTML page', use: 'page' };
const SVG: FileType = { name: 'SVG drawing', use: 'drawing' };
const SCRIPT: FileType = { name: 'script', use: 'script' };

/** Browsers skip white space and comments before they decide (WHATWG MIME sniffing section 7.1). */
const LEADING = /^(?:\xef\xbb\xbf|\ufeff)?\s{0,256}/;
const PAGE = /^<(?:!doctype html|html|head|body|script|iframe|object|embed|meta|base)(?=[\s/>])/i;
const DRAWING = /^<svg(?=[\s/>:])/i;
const PROLOGUE = /^<(?:\?xml|!--|!doctype svg)/i;

/**
 * What bytes are, by how they begin (WHATWG MIME sniffing section 6, and what it leaves out because browsers run none of it).
 * @param head at least the first `HEAD_BYTES`, as Latin-1
 */
export function findFileType(head: string): FileType | undefined {
  const known = SIGNATURES.find(({ begins, at = 0 }) => head.startsWith(begins, at));
  if (known !== undefined) return known;
  if (head.startsWith('MZ') && isPortableExecutable(head)) return PE;
  if (head.startsWith('RIFF')) return RIFF.get(head.slice(8, 12));
  if (head.startsWith('ftyp', 4)) return toIsoMedia(head.slice(8, 12));
  if (/^\xff[\xe2\xe3\xf2\xf3\xfa\xfb][^\xff]/.test(head)) return { name: 'MP3 sound', use: 'sound' };
  if (head.startsWith('BM') && head.startsWith('\0\0\0\0', 6)) return { name: 'BMP picture', use: 'picture' };
  return findTextType(head);
}

/** Of a text: a page or drawing that runs what is in it, or a program that somebody put where a text should be. */
export function findTextType(text: string): FileType | undefined {
  const head = text.slice(0, HEAD_BYTES);
  if (head.startsWith('#!')) return SCRIPT;
  let rest = head.replace(LEADING, '');
  for (let skipped = 0; skipped < 4 && PROLOGUE.test(rest); skipped++) {
    const end = rest.startsWith('<!--') ? rest.indexOf('-->') + 2 : rest.indexOf('>');
    if (end < 2) break;
    rest = rest.slice(end + 1).replace(LEADING, '');
  }
  if (PAGE.test(rest)) return HTML;
  if (DRAWING.test(rest)) return SVG;
  if (head.startsWith('\x7fELF')) return ELF;
  return head.startsWith('MZ') && isPortableExecutable(head) ? PE : undefined;
}

/** The header says where the second one is; one that cannot be looked at counts. Two letters alone begin many a text. */
function isPortableExecutable(head: string): boolean {
  if (head.length < 64) return false;
  const at =
    head.charCodeAt(60) | (head.charCodeAt(61) << 8) | (head.charCodeAt(62) << 16) | (head.charCodeAt(63) << 24);
  if (at < 0 || at > 0x1000000) return false;
  return at + 4 > head.length ? head.slice(2, 60).includes('\0') : head.startsWith('PE\0\0', at);
}

function toIsoMedia(brand: string): FileType {
  if (/^(?:avif|avis|heic|heix|mif1|msf1)$/.test(brand)) return { name: 'HEIF picture', use: 'picture' };
  return brand.startsWith('M4A') ? { name: 'MP4 sound', use: 'sound' } : { name: 'MP4 film', use: 'film' };
}
