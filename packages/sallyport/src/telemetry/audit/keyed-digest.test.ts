import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createKeyedDigest } from './keyed-digest.ts';

/** As docs/audit.md says it. */
function asDescribed(key: Buffer, value: Uint8Array): string {
  const head = Buffer.alloc(72);
  key.copy(head);
  head.writeBigUInt64BE(BigInt(value.length), 64);
  return createHash('sha256').update(head).update(value).digest('base64url');
}

test('a digest is what the documentation says, whatever was digested before and however long it is', () => {
  const key = Buffer.alloc(32, 7);
  const digest = createKeyedDigest(key);
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), (value) => {
      expect(digest(Buffer.from(value))).toBe(asDescribed(key, value));
    }),
  );
  for (const length of [0, 65_535, 65_536, 65_537, 300_000]) {
    const value = Buffer.alloc(length, 'x');
    expect(digest(value)).toBe(asDescribed(key, value));
  }
});

test('another key makes another digest', () => {
  const value = Buffer.from('{"a":1}');
  expect(createKeyedDigest(Buffer.alloc(32, 1))(value)).not.toBe(createKeyedDigest(Buffer.alloc(32, 2))(value));
});
