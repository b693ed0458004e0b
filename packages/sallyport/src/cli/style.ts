import type { Screen, Terminal } from './terminal.ts';

/** Colours of a terminal, or plain text where there is none. Give it text that is safe for a terminal already. */
export interface Style {
  readonly dim: Paint;
  readonly bold: Paint;
  readonly red: Paint;
  readonly green: Paint;
  readonly yellow: Paint;
}

type Paint = (text: string) => string;

const PLAIN: Style = { dim: same, bold: same, red: same, green: same, yellow: same };
const COLOURED: Style = {
  dim: paint(2, 22),
  bold: paint(1, 22),
  red: paint(31, 39),
  green: paint(32, 39),
  yellow: paint(33, 39),
};

/** Coloured on a terminal, unless NO_COLOR (no-color.org) or TERM=dumb ask for plain text. */
export function createStyle(screen: Screen, env: Terminal['env']): Style {
  const isPlain = screen.isTTY !== true || (env['NO_COLOR'] ?? '') !== '' || env['TERM'] === 'dumb';
  return isPlain ? PLAIN : COLOURED;
}

function paint(on: number, off: number): Paint {
  return (text) => `\u001b[${on}m${text}\u001b[${off}m`;
}

function same(text: string): string {
  return text;
}
