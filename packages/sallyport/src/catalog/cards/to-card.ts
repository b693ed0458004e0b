import { isObject, type Json, type JsonObject, member, memberText } from '../../core/json.ts';
import type { ListedTool } from '../contract.ts';
import { shorten } from './trim-schema.ts';

/** Characters of a description on a card. */
const MAX_TEXT = 180;
/** Optional arguments on a card. */
const MAX_OPTIONAL = 8;
const MAX_VALUES = 4;
const MAX_VALUE = 24;

/** One tool in two lines: what it is for, and its arguments with their types. One tool's text can never look like another card. */
export function toCard({ tool, description }: ListedTool, twins: readonly string[] = []): string {
  const { definition, publicName } = tool;
  const text = description ?? (memberText(definition, 'description') || memberText(definition, 'title'));
  const said = shorten(text, MAX_TEXT);
  const effect = member(member(definition, 'annotations'), 'readOnlyHint') === true ? ' [read-only]' : '';
  const alike = twins.length === 0 ? '' : ` (alike: ${twins.join(', ')})`;
  return `${publicName}(${toArguments(definition)})${effect}${alike}${said === '' ? '' : `\n  ${said}`}`;
}

function toArguments(definition: JsonObject): string {
  const schema = member(definition, 'inputSchema');
  const properties = member(schema, 'properties');
  if (!isObject(properties)) return '';
  const required = member(schema, 'required');
  const isRequired = (name: string) => Array.isArray(required) && required.includes(name);
  const names = Object.keys(properties);
  const optional = names.filter((name) => !isRequired(name));
  const shown = [
    ...names.filter(isRequired).map((name) => `${shorten(name, 64)}: ${toType(properties[name])}`),
    ...optional.slice(0, MAX_OPTIONAL).map((name) => `${shorten(name, 64)}?: ${toType(properties[name])}`),
  ];
  const more = optional.length - MAX_OPTIONAL;
  return [...shown, ...(more > 0 ? [`+${more} optional`] : [])].join(', ');
}

/** A type as TypeScript would write it, roughly. */
function toType(schema: Json | undefined): string {
  const values = member(schema, 'enum');
  if (Array.isArray(values) && values.length <= MAX_VALUES && values.every((one) => isShort(one)))
    return values.map((one) => JSON.stringify(one)).join('|');
  const type = member(schema, 'type');
  if (type === 'array') return `${toType(member(schema, 'items'))}[]`;
  if (typeof type === 'string') return shorten(type, MAX_VALUE);
  if (Array.isArray(type))
    return type
      .filter((one) => typeof one === 'string')
      .map((one) => shorten(one, MAX_VALUE))
      .join('|');
  return 'any';
}

function isShort(value: Json): boolean {
  return typeof value !== 'string' ? !isObject(value) && !Array.isArray(value) : value.length <= MAX_VALUE;
}
