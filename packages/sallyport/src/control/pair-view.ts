import type { Report } from '../catalog/pins/inspection.ts';
import { toToolFace } from '../catalog/shadow/face.ts';
import { isObject, type Json, type JsonObject, member } from '../core/json.ts';
import type { KnownPin } from './known-pins.ts';
import { objectOf, type Schema, TEXT } from './route.ts';

/** A tool of another server that one competes with, and the two side by side. */
export const RELATED: Schema = objectOf({
  server: TEXT,
  name: { type: 'string', description: 'Of the tool, at its server.' },
  why: TEXT,
  fields: {
    type: 'array',
    description: 'The two side by side. Empty where the other is not approved any more.',
    items: objectOf({
      field: { enum: ['name', 'title', 'description', 'parameters'] },
      offered: { type: 'string', description: 'Of the one that is looked at.' },
      approved: { type: 'string', description: 'Of the other.' },
    }),
  },
});

export function describeRelated({ pin }: KnownPin, found: Report | undefined, known: readonly KnownPin[]): Json {
  return (found?.related ?? []).map(({ server, name, why }): JsonObject => {
    const other = known.find((one) => one.pin.server === server && one.pin.kind === 'tools' && one.pin.name === name);
    const fields = sideBySide(pin.seen?.text, other?.pin.approved?.text);
    return { server, name, why, fields };
  });
}

function sideBySide(offered: string | undefined, approved: string | undefined): Json {
  if (offered === undefined || approved === undefined) return [];
  const [one, other] = [toFields(offered), toFields(approved)];
  return (['name', 'title', 'description', 'parameters'] as const).flatMap((field): JsonObject[] =>
    one[field] === '' && other[field] === '' ? [] : [{ field, offered: one[field], approved: other[field] }],
  );
}

function toFields(text: string) {
  const value: unknown = JSON.parse(text);
  const definition = isObject(value) ? value : {};
  const { name, title, description, parameters } = toToolFace('', definition);
  const properties = member(member(definition, 'inputSchema'), 'properties');
  const lines = parameters.map((one) => {
    const type = member(member(properties, one), 'type');
    return typeof type === 'string' ? `${one}: ${type}` : one;
  });
  return { name, title, description, parameters: lines.join('\n') };
}
