// Every key of the configuration file with its default, from the JSON Schema that the program's own schema writes.
import { readFileSync } from 'node:fs';

const schemaFile = new URL('../packages/sallyport/sallyport.schema.json', import.meta.url);

export const page = 'docs/configuration.md';

/** name of the section -> its text. A key stands in the table of the innermost section it belongs to. */
export function sections() {
  const file = JSON.parse(readFileSync(schemaFile, 'utf8'));
  const { mcpServers, servers, ...own } = file.properties;
  const server = mcpServers.additionalProperties;
  const gateway = own.gateway.properties;
  const auth = gateway.auth.anyOf.find(({ type }) => type === 'object');
  const { oauth, mtls } = auth.properties;
  const tables = [
    ['server', server, ''],
    ['upstream-auth', server.properties.auth, 'auth'],
    ['breaker', server.properties.breaker, 'breaker'],
    ['auth', auth, 'gateway.auth'],
    ['oauth', oauth, 'gateway.auth.oauth'],
    ['issuer', oauth.properties.issuers, 'gateway.auth.oauth.issuers'],
    ['mtls', mtls, 'gateway.auth.mtls'],
    ['identity', mtls.properties.identities, 'gateway.auth.mtls.identities'],
    ['gateway-limits', gateway.limits, 'gateway.limits'],
    // A section that is added to the file has a table at once, and the page needs a place for it.
    ...Object.entries(own)
      .filter(([, section]) => partsOf(section, '').length > 0)
      .map(([name, section]) => [name, section, name]),
  ];
  const divided = new Set(tables.map(([, schema]) => schema));
  const top = { properties: { ...own, mcpServers: withoutParts(mcpServers), servers: withoutParts(servers) } };
  return new Map([
    ['top', toTable(top, '', divided)],
    ...tables.map(([name, schema, path]) => [name, toTable(schema, path, divided)]),
    ['ignored', toIgnored(server.properties)],
  ]);
}

/** Keys of other programs: accepted, without effect. */
function isForeign({ description = '' }) {
  return description.startsWith('Written by');
}

function toIgnored(properties) {
  return Object.entries(properties)
    .filter(([, property]) => isForeign(property))
    .map(([key, { description }]) => `- \`${key}\`: ${description}`)
    .join('\n');
}

function withoutParts({ additionalProperties, ...map }) {
  return { ...map, additionalProperties: {} };
}

/** @param divided schemas that have a table of their own */
function toTable(schema, path, divided) {
  const rows = toRows(schema, path, { divided, shown: new Map() });
  return ['| Key | Value | Default | Meaning |', '| --- | --- | --- | --- |', ...rows].join('\n');
}

function toRows(schema, path, { divided, shown }) {
  return partsOf(schema, path).flatMap(([key, property, isNeeded]) => {
    if (path === '' && isForeign(property) && schema.properties?.mcpServers === undefined) return [];
    const row = (said) =>
      `| \`${key}\` | ${toType(property)} | ${isNeeded ? 'needed' : toDefault(property)} | ${escapeCell(said)} |`;
    const parts = divided.has(property) ? [] : partsOf(property, key);
    if (parts.length === 0) return [row(property.description)];
    const form = JSON.stringify(parts.map(([name, ...part]) => [name.slice(key.length), part]));
    const same = shown.get(form);
    if (same !== undefined) return [row(`${property.description} Keys as in \`${same}\`.`)];
    shown.set(form, key);
    return [row(property.description), ...toRows(property, key, { divided, shown })];
  });
}

/** The keys below a schema, with their whole paths: `a.b` of an object, `a.<name>.b` of a map, `a[].b` of a list. */
function partsOf({ properties, required = [], additionalProperties, items, anyOf }, path) {
  const dotted = path === '' ? '' : `${path}.`;
  if (properties !== undefined)
    return Object.entries(properties).map(([key, part]) => [`${dotted}${key}`, part, required.includes(key)]);
  if (typeof additionalProperties === 'object') return partsOf(additionalProperties, `${dotted}<name>`);
  if (items !== undefined) return partsOf(items, `${path}[]`);
  return (anyOf ?? []).flatMap((one) => partsOf(one, path));
}

function toType({ anyOf, type, enum: choices, minimum, maximum, items, properties, ...map }) {
  if (choices !== undefined) return choices.map((choice) => `\`${choice}\``).join(', ');
  if (type === 'integer') return `whole number, ${group(minimum)} to ${group(maximum)}`;
  if (type === 'number') return `number, ${group(minimum)} to ${group(maximum)}`;
  if (type === 'boolean') return 'true or false';
  if (type === 'array') return `list of ${toPlural(items)}`;
  if (type === 'string') return 'text';
  if (type === 'object') return properties === undefined ? toMapType(map) : 'object';
  if (anyOf !== undefined) return anyOf.map(toType).join(' or ');
  return 'anything';
}

function toPlural(items) {
  if (items.enum !== undefined) return toType(items);
  if (items.type === 'object') return 'objects';
  if (items.anyOf === undefined) return 'texts';
  return items.anyOf.some(({ type }) => type === 'object') ? 'texts or objects' : 'texts or numbers';
}

function toMapType({ propertyNames, additionalProperties }) {
  const from = propertyNames?.enum === undefined ? '' : ` from ${toType(propertyNames)}`;
  const { enum: choices, items } = additionalProperties ?? {};
  if (choices !== undefined) return `map${from} to ${toType(additionalProperties)}`;
  return items?.enum === undefined ? `map${from}` : `map${from} to lists of ${toType(items)}`;
}

function toDefault(property) {
  const value = property.default;
  if (value === undefined || (typeof value === 'object' && !Array.isArray(value))) return '';
  return typeof value === 'number' ? group(value) : `\`${JSON.stringify(value)}\``;
}

/** 1800000 -> 1 800 000 with no-break spaces, so that no cell breaks inside a number. */
function group(value) {
  return String(value).replace(/\B(?=(\d{3})+$)/g, '\u00a0');
}

/** <server> would be read as a tag and not be shown. */
function escapeCell(text) {
  return text.replaceAll('|', '\\|').replaceAll('<', '&lt;');
}
