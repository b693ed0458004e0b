// Every key of the configuration file with its default, from the JSON Schema that the program's own schema writes.
import { readFileSync } from 'node:fs';

const schemaFile = new URL('../packages/sallyport/sallyport.schema.json', import.meta.url);

export const page = 'docs/configuration.md';

/** name of the section -> its text. */
export function sections() {
  const { properties } = JSON.parse(readFileSync(schemaFile, 'utf8'));
  const server = properties.mcpServers.additionalProperties.properties;
  const { limits, ...gateway } = properties.gateway.properties;
  const { breaker, ...keys } = server;
  const foreign = ([, { description = '' }]) => description.startsWith('Written by');
  const own = Object.entries(keys).filter((entry) => !foreign(entry));
  const ignored = Object.entries(keys).filter(foreign);
  return new Map([
    ['top', toTable(Object.entries(properties))],
    ['server', toTable(own)],
    ['breaker', toTable(Object.entries(breaker.properties), 'breaker.')],
    ['ignored', ignored.map(([key, { description }]) => `- \`${key}\`: ${description}`).join('\n')],
    ['gateway', toTable(Object.entries(gateway))],
    ['policy', toTable(Object.entries(properties.policy.properties), 'policy.')],
    ['control', toTable(Object.entries(properties.control.properties.roles.properties), 'control.roles.')],
    ['audit', toTable(Object.entries(properties.audit.properties), 'audit.')],
    ...authSections(gateway.auth.anyOf.find(({ type }) => type === 'object').properties),
    ['limits', toTable(Object.entries(limits.properties), 'limits.')],
    ['rules', toTable(Object.entries(properties.limits.properties.rules.items.properties), 'rules[].')],
    ['quotas', toTable(Object.entries(properties.limits.properties.quotas.items.properties), 'quotas[].')],
    ['telemetry', toTable(Object.entries(properties.telemetry.properties), 'telemetry.')],
    ['otlp', toTable(Object.entries(properties.telemetry.properties.otlp.properties), 'otlp.')],
    ['approvals', toTable(Object.entries(properties.approvals.properties), 'approvals.')],
  ]);
}

/** `gateway.auth` as an object, level by level. */
function authSections({ oauth, mtls, ...auth }) {
  const { issuers, ...tokens } = oauth.properties;
  const { identities, ...tls } = mtls.properties;
  return [
    ['auth', toTable(Object.entries({ ...auth, oauth, mtls }), 'auth.')],
    ['oauth', toTable(Object.entries({ issuers, ...tokens }), 'auth.oauth.')],
    ['issuer', toTable(Object.entries(issuers.items.properties), 'issuers[].')],
    ['mtls', toTable(Object.entries({ ...tls, identities }), 'auth.mtls.')],
    ['identity', toTable(Object.entries(identities.items.properties), 'identities[].')],
  ];
}

function toTable(entries, prefix = '') {
  const rows = entries.map(
    ([key, property]) =>
      `| \`${prefix}${key}\` | ${toType(property)} | ${toDefault(property)} | ${escapeCell(property.description ?? '')} |`,
  );
  return ['| Key | Value | Default | Meaning |', '| --- | --- | --- | --- |', ...rows].join('\n');
}

function toType({ anyOf, type, enum: choices, minimum, maximum, items, properties, additionalProperties }) {
  if (choices !== undefined) return choices.map((choice) => `\`${choice}\``).join(', ');
  if (type === 'integer') return `whole number, ${group(minimum)} to ${group(maximum)}`;
  if (type === 'boolean') return 'true or false';
  if (type === 'array' && items?.type === 'object') return 'list of objects';
  if (type === 'array') return items?.anyOf === undefined ? 'list of texts' : 'list of texts or numbers';
  if (type === 'string') return 'text';
  if (type === 'object') return properties === undefined && additionalProperties !== undefined ? 'map' : 'object';
  if (anyOf !== undefined) return anyOf.map(toType).join(' or ');
  return 'anything';
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

function escapeCell(text) {
  return text.replaceAll('|', '\\|');
}
