/** Read as slashes and dots by hosts' names, old code pages and people, and left alone by NFKC. */
const LOOKALIKES: ReadonlyMap<string, string> = new Map([
  ...[...'\u2044\u2215\u29f8\u2571'].map((sign) => [sign, '/'] as const),
  ...[...'\u2216\u29f5\u29f9'].map((sign) => [sign, '\\'] as const),
  ...[...'\u3002\uff61'].map((sign) => [sign, '.'] as const),
]);
const LOOKALIKE = new RegExp(`[${[...LOOKALIKES.keys()].join('')}]`, 'g');

/** A text as a server may open it that folds Unicode: U+2025 is two dots, and soft hyphens are gone. */
export function toOpened(text: string): string {
  if (/^[\0-\x7f]*$/.test(text)) return text;
  return text
    .replace(/\p{Default_Ignorable_Code_Point}/gu, '')
    .normalize('NFKC')
    .replace(LOOKALIKE, (sign) => LOOKALIKES.get(sign) ?? sign);
}

/** Windows drops spaces at the end of a step, servers in Java what follows a semicolon, all of them a query. */
const STEP_UP = /(?:^|[/\\])\.\. *(?:[/\\;?#]|$)/;
/** Bytes that are decoded later: dots, slashes, percent signs, NUL, overlong UTF-8, and the form of IIS. */
const ENCODED = /%(?:2[ef5]|5c|00|c[01]|e0%80|u[\da-f]{4})|\p{Cc}/iu;

/** Whether some server would read a step up in a text, or cannot be foreseen to read none. */
export function canClimb(text: string): boolean {
  const opened = toOpened(text);
  return ENCODED.test(text) || STEP_UP.test(text) || STEP_UP.test(opened) || canClimbExpanded(opened);
}

/** Where a shell, or who reads globs, matches `..`: `.?`, `.*`, `.[.]`. */
export function canClimbAsGlob(text: string): boolean {
  return toOpened(text)
    .split(/[/\\]/)
    .some((step) => /^(?:\.|\[\.\])(?:[.?*]|\[[^\]]{1,16}\])+$/.test(step) && /[?*[]/.test(step));
}

/** Braces as shells and globs expand them: `{a,..}`, `.{.,x}`, and those with slashes within. */
function canClimbExpanded(text: string): boolean {
  if (!text.includes('{')) return false;
  return text.split(/[/\\]/).some((step) => {
    if (step.split(/[{},]/).includes('..')) return true;
    let flat = step;
    for (let depth = 0; depth < MAX_BRACES && /[{}]/.test(flat); depth++)
      flat = flat.replace(/(?:^|\{)[^{}]*\}|\{[^{}]*$/g, toShortest);
    return /^\.{2,}$/.test(flat);
  });
}

/** Braces within braces. */
const MAX_BRACES = 4;

/** A group as dots, where it can be those; else as nothing, or as a letter. */
function toShortest(group: string): string {
  const choices = group.replace(/^\{|\}$/g, '').split(',');
  if (choices.some((choice) => /^\.+$/.test(choice))) return '.';
  return choices.includes('') ? '' : 'x';
}
