import { stripVTControlCharacters } from 'node:util';

/** Shorter values occur by chance. */
const MIN_SECRET_LENGTH = 8;
/** What stands before the host of an address: often a password, from the arguments of the command. */
const USER = /(:\/\/)[^/\s@]+@/g;
// Controls; what turns the reading direction (CVE-2021-42574); what nobody sees and a model that reads the log does: tag
// characters, zero-width ones, variation selectors beyond those of emoji. Joiners stay, scripts need them.
const CONTROLS = /(?!\t)\p{Cc}|[\u061C\u200B\u200E\u200F\u2028-\u202E\u2060-\u2069\uFEFF\u{E0000}-\u{E01EF}]/gu;

/**
 * Makes a child's output fit to be shown: terminal escapes are taken out (a server must not draw on an operator's
 * screen) and the values of its own environment settings, which are mostly credentials, become `[NAME]`.
 */
export function createPlainText(environment: Readonly<Record<string, string>>): (text: string) => string {
  // The longest first, so that a value that contains another one is replaced whole. Paths stay: they explain failures.
  const secrets = Object.entries(environment)
    .filter(([, value]) => value.length >= MIN_SECRET_LENGTH && !/^(?:[./~]|[A-Za-z]:\\)/.test(value))
    .sort(([, a], [, b]) => b.length - a.length);
  return (text) => {
    let plain = stripVTControlCharacters(text).replace(CONTROLS, '').replace(USER, '$1…@');
    for (const [name, value] of secrets) plain = plain.replaceAll(value, `[${name}]`);
    return plain;
  };
}
