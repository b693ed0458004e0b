import { isObject, type Json, type JsonObject, member } from '../core/json.ts';
import { toLine, toPlainText } from './plain-text.ts';
import type { Style } from './style.ts';
import { wrapText } from './wrap-text.ts';

/** Fields after the message, in this order; all others are for programs. */
const SHOWN = ['reason', 'error', 'file', 'url', 'exit', 'problem'] as const;
const MAX_NAMED = 3;
/** Width of the time and the symbol: where a line goes on. */
const INDENT = ' '.repeat(11);
const DEFAULT_COLUMNS = 100;

/** Everyday events of single processes and lists; `--log-level debug` shows them. */
const ROUTINE: ReadonlySet<string> = new Set(['Child started', 'Child ended', 'list changed', 'A connection ended']);

export interface ShortLineOptions {
  readonly style: Style;
  /** Everyday events, too. */
  readonly isDetailed: boolean;
  /** Of the terminal, which a person may resize. */
  readonly columns: () => number | undefined;
}

/**
 * Log lines (JSON) as a person reads them: time, symbol of the level, server, message, the few fields that matter.
 * What is no JSON object stays as it is.
 */
export function createShortLines(options: ShortLineOptions): (lines: string) => string {
  const present = (line: string): string => {
    if (line === '') return '';
    const entry = parse(line);
    if (entry === undefined) return `${toPlainText(line)}\n`;
    const isRoutine = member(entry, 'level') === 'info' && ROUTINE.has(String(member(entry, 'msg')));
    return isRoutine && !options.isDetailed ? '' : `${toShortLine(entry, options)}\n`;
  };
  return (lines) => lines.split('\n').map(present).join('');
}

function parse(line: string): JsonObject | undefined {
  try {
    const value = JSON.parse(line) as Json;
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function toShortLine(entry: JsonObject, { style, columns }: ShortLineOptions): string {
  const upstream = text(entry, 'upstream');
  const isCall = text(entry, 'msg') === 'call';
  const names = [upstream, isCall ? text(entry, 'tool') : text(entry, 'item')];
  const subject = toLine(names.filter((name) => name !== undefined).join(' › '), 80);
  const said = toPlainText(isCall ? describeCall(entry) : describeEvent(entry)).trimEnd();
  // Text of servers is made harmless before anything is coloured. The subject is wrapped with its text, coloured after.
  const whole = subject === '' ? said : `${subject.replaceAll(' ', '\u00A0')} ${said}`;
  const [first = '', ...more] = wrapText(whole, (columns() ?? DEFAULT_COLUMNS) - INDENT.length);
  const body = `${style.bold(first.slice(0, subject.length).replaceAll('\u00A0', ' '))}${first.slice(subject.length)}`;
  const lines = [`${style.dim(toTime(text(entry, 'time')))} ${toSymbol(entry, style)} ${body}`];
  return [...lines, ...more.map((line) => INDENT + line)].join('\n');
}

function toSymbol(entry: JsonObject, style: Style): string {
  const level = text(entry, 'level');
  const outcome = text(entry, 'msg') === 'call' ? text(entry, 'outcome') : undefined;
  if (level === 'error' || outcome === 'failed') return style.red('✗');
  if (level === 'warn' || (outcome !== undefined && outcome !== 'ok')) return style.yellow('!');
  return outcome === 'ok' ? style.green('✓') : style.dim('·');
}

function describeCall(entry: JsonObject): string {
  const ms = Number(member(entry, 'ms') ?? 0);
  const reason = text(entry, 'reason');
  const who = text(entry, 'guard');
  const why = reason === undefined ? '' : `: ${who === undefined ? '' : `(${who}) `}${reason}`;
  return `${(text(entry, 'outcome') ?? '').replaceAll('_', ' ')} in ${ms < 10 ? ms.toFixed(1) : Math.round(ms)} ms${why}`;
}

function describeEvent(entry: JsonObject): string {
  const items = describeItems(member(entry, 'items'), Number(member(entry, 'count') ?? 0));
  const fields = SHOWN.map((name) => describeField(name, member(entry, name)));
  return [items, text(entry, 'msg') ?? '', ...fields].filter((part) => part !== '').join(': ');
}

/** `13 tools`; few names or names of mixed kinds are shown as they are. */
function describeItems(items: Json | undefined, count: number): string {
  if (!Array.isArray(items)) return '';
  const kinds = new Set(items.map((item) => (/^(\w+)\/\S+$/.exec(String(item)) ?? [])[1]));
  const [kind] = kinds;
  if (items.length > 1 && kinds.size === 1 && kind !== undefined) return `${Math.max(count, items.length)} ${kind}`;
  const more = Math.max(count, items.length) - MAX_NAMED;
  return [...items.slice(0, MAX_NAMED).map(String), ...(more > 0 ? [`${more} more`] : [])].join(', ');
}

function describeField(name: string, value: Json | undefined): string {
  if (name === 'exit' && isObject(value))
    return `exit ${String(member(value, 'code') ?? member(value, 'signal') ?? 'unknown')}`;
  if (isObject(value)) return text(value, 'message') ?? '';
  return typeof value === 'string' ? value : '';
}

function text(entry: JsonObject, name: string): string | undefined {
  const value = member(entry, name);
  return typeof value === 'string' ? value : undefined;
}

/** The clock on the wall: a terminal is watched now. */
function toTime(iso: string | undefined): string {
  const at = new Date(iso ?? Number.NaN);
  if (Number.isNaN(at.getTime())) return '--:--:--';
  return [at.getHours(), at.getMinutes(), at.getSeconds()].map((part) => String(part).padStart(2, '0')).join(':');
}
