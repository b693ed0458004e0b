import { columnsOf } from './plain-text.ts';

/** Lines of at most `width` columns, broken between words; a word that is longer stays whole. */
export function wrapText(text: string, width: number): string[] {
  return text.split('\n').flatMap((line) => {
    const lines: string[] = [];
    let current: string | undefined;
    for (const word of line.split(' ')) {
      const longer: string = current === undefined ? word : `${current} ${word}`;
      if (current !== undefined && current.trim() !== '' && columnsOf(longer) > width) {
        lines.push(current);
        current = word;
      } else current = longer;
    }
    return [...lines, current ?? ''];
  });
}
