import type { ByteSource } from '../../core/byte-source.ts';

/**
 * The bytes behind base64 (RFC 4648 section 4), decoded a part at a time.
 * @param text base64 as ASCII
 * @returns `undefined`: it is none, or written with line breaks
 */
export async function openBase64(text: ByteSource): Promise<ByteSource | undefined> {
  if (text.size % 4 !== 0 || text.size === 0) return undefined;
  const begin = (await text.read(0, Math.min(text.size, 1_024))).toString('latin1');
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(begin)) return undefined;
  const end = (await text.read(text.size - 2, text.size)).toString('latin1');
  const padding = end === '==' ? 2 : end.endsWith('=') ? 1 : 0;
  const size = (text.size / 4) * 3 - padding;
  return {
    size,
    async read(start, to) {
      const from = Math.floor(start / 3);
      const part = await text.read(from * 4, Math.min(text.size, Math.ceil(to / 3) * 4));
      const bytes = Buffer.from(part.toString('latin1'), 'base64');
      return bytes.subarray(start - from * 3, to - from * 3);
    },
  };
}
