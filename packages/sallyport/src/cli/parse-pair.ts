import { FaultError } from '../core/errors.ts';
import { isHeader } from '../core/header.ts';

/**
 * `NAME=value` texts as a map; a later one wins.
 * @throws FaultError `usage`, without the text: it may be a secret.
 */
export function parseEnvPairs(texts: readonly string[]): Record<string, string> {
  return Object.fromEntries(texts.map((text) => split(text, '=', '--env takes NAME=value')));
}

/**
 * `Name: value` (or `Name=value`) texts as a map; a later one wins. `@file` stands for the lines of a file, as curl has
 * it: a command line is seen by all users of a machine.
 * @throws FaultError `usage`, without the text: it may be a secret.
 */
export function parseHeaderPairs(
  texts: readonly string[],
  readText: (file: string) => string = () => '',
): Record<string, string> {
  const lines = texts.flatMap((text) => (text.startsWith('@') ? readText(text.slice(1)).split(/\r?\n/) : [text]));
  const pairs = lines.filter((line) => line !== '').map((text) => split(text, /[:=]/, '--header takes "Name: value"'));
  for (const [name, value] of pairs) {
    if (!isHeader(name, value)) throw new FaultError('usage', '--header has a character that no header can carry.');
  }
  return Object.fromEntries(pairs);
}

function split(text: string, separator: string | RegExp, complaint: string): [string, string] {
  const at = text.search(separator);
  if (at < 1) throw new FaultError('usage', `${complaint}.`);
  const value = text.slice(at + 1);
  return [text.slice(0, at).trim(), separator === '=' ? value : value.trim()];
}
