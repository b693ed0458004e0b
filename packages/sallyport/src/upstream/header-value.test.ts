import { expect, it } from 'vitest';
import { toHeaderValue } from './header-value.ts';

// The table of 2026-07-28, Streamable HTTP, "Value Encoding", and its edges.
it.each([
  ['us-west1', 'us-west1'],
  ['', ''],
  ['a b\tc', 'a b\tc'],
  ['Hello, 世界', '=?base64?SGVsbG8sIOS4lueVjA==?='],
  [' padded ', '=?base64?IHBhZGRlZCA=?='],
  ['line1\nline2', '=?base64?bGluZTEKbGluZTI=?='],
  ['a\r\nx-evil: 1', '=?base64?YQ0KeC1ldmlsOiAx?='],
  ['=?base64?literal?=', '=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?='],
  ['\x7f', '=?base64?fw==?='],
  ['file:///a%20b?c=d', 'file:///a%20b?c=d'],
])('writes %j as %j', (value, header) => {
  expect(toHeaderValue(value)).toBe(header);
});
