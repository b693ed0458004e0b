import { isUtf8 } from 'node:buffer';

/** Fewer bytes tell nothing of what is between them. */
const MIN_WIDE = 8;

/** What bytes say in UTF-8, or in UTF-16 where every second one is empty; `undefined`: they are no text of either. */
export function toText(bytes: Buffer): string | undefined {
  return wideText(bytes) ?? (isUtf8(bytes) ? bytes.toString('utf8') : undefined);
}

/** UTF-16 of mostly Latin letters, either end first, or with a mark at its beginning; `undefined`: it is not. */
export function wideText(bytes: Buffer): string | undefined {
  if (bytes.length < MIN_WIDE) return undefined;
  const [first = 0, second = 0] = bytes;
  const isMarked = first + second === 0x1fd && Math.abs(first - second) === 1;
  const isBig = isMarked ? first === 0xfe : isEmpty(bytes, 0);
  if (!isMarked && !isBig && !isEmpty(bytes, 1)) return undefined;
  const whole = Buffer.from(bytes.subarray(isMarked ? 2 : 0, bytes.length - (bytes.length % 2)));
  return (isBig ? whole.swap16() : whole).toString('utf16le');
}

/** Two of three from there on, each second one. */
function isEmpty(bytes: Buffer, from: number): boolean {
  let zeros = 0;
  for (let i = from; i < bytes.length; i += 2) if (bytes[i] === 0) zeros++;
  return zeros * 3 > bytes.length;
}
