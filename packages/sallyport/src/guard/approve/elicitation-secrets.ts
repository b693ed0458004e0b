import { isObject, type JsonObject, member, memberText } from '../../core/json.ts';
import { toWords } from '../scan/results/read-fixed.ts';
import { scanText } from '../scan/scan-text.ts';
import { findUnsafeAddress } from './elicitation-address.ts';
import { asksForSecret, describesSecret, isSecretSample, MAX_TEXT, namesSecret } from './secret-words.ts';

/**
 * Does a server's form ask a person for a secret? MCP forbids it (2025-11-25 and 2026-07-28 elicitation: form mode must
 * not request passwords, keys, tokens or payment credentials; URL mode is for those), because the client, the model and
 * the log would see what was typed.
 * The address of URL mode is looked at, too.
 * @returns why the question is refused, for the server and the operator; `undefined`: nothing of the kind
 */
export function findSecretQuestion(method: string, params: JsonObject): string | undefined {
  if (method !== 'elicitation/create') return undefined;
  // The page at a URL is the server's own: what is typed there does not pass through here.
  if (member(params, 'mode') === 'url') return findUnsafeAddress(params);
  const schema = member(params, 'requestedSchema');
  const field = isObject(schema) ? findSecretField(schema, { depth: 0, left: MAX_FIELDS }) : undefined;
  if (field !== undefined)
    return `The form asks for a secret${toShown(field)}. Sallyport does not put such a form to a person; use URL mode or a credential of the server's own.`;
  const message = member(params, 'message');
  if (typeof message === 'string' && asksForSecret(message))
    return "The message of the form asks for a secret. Sallyport does not put such a form to a person; use URL mode or a credential of the server's own.";
  return undefined;
}

/** The name is a stranger's text in a reason of ours, so it must not be a sentence to a model. */
function toShown(field: string): string {
  const name = field.slice(0, 64);
  return scanText(toWords(name)).findings.length === 0 ? ` ("${name}")` : '';
}

const MAX_FIELDS = 500;
const MAX_DEPTH = 8;
const MAX_SAMPLES = 16;

interface Budget {
  readonly depth: number;
  left: number;
}

/** The first field whose name, title, description, format or example says secret. Too many fields to look at are refused, too. */
function findSecretField(schema: JsonObject, budget: Budget): string | undefined {
  if (budget.depth > MAX_DEPTH) return 'nested too deep to be read';
  const title = text(schema, 'title');
  if (budget.depth === 0 && asksForSecret(`${title} ${text(schema, 'description')}`)) return title || 'description';
  for (const holder of ['properties', '$defs', 'definitions', 'patternProperties']) {
    const properties = member(schema, holder);
    if (!isObject(properties)) continue;
    for (const [name, field] of Object.entries(properties)) {
      if (--budget.left < 0) return 'too many fields to be read';
      if (!isObject(field)) continue;
      if (isSecretField(name, field)) return name;
      const inner = findSecretField(field, nested(budget));
      if (inner !== undefined) return inner;
    }
  }
  for (const key of ['items', 'allOf', 'anyOf', 'oneOf']) {
    const inner = member(schema, key);
    for (const part of Array.isArray(inner) ? inner : [inner]) {
      if (--budget.left < 0) return 'too many fields to be read';
      if (!isObject(part)) continue;
      if (isSecretField('', part)) return text(part, 'title') || key;
      const found = findSecretField(part, nested(budget));
      if (found !== undefined) return found;
    }
  }
  return undefined;
}

function nested(budget: Budget): Budget {
  return {
    depth: budget.depth + 1,
    get left() {
      return budget.left;
    },
    set left(value) {
      budget.left = value;
    },
  };
}

function isSecretField(name: string, field: JsonObject): boolean {
  if (/^(?:password|secret|credit-?card|card|otp|one-?time-code|token)$/i.test(text(field, 'format'))) return true;
  if (member(field, 'writeOnly') === true) return true;
  if (isChoice(field)) return false;
  if (namesSecret(name) || namesSecret(text(field, 'title'))) return true;
  return describesSecret(text(field, 'description')) || samples(field).some(isSecretSample);
}

/** A yes or no, or one of given answers: nobody types a secret there. A choice of nothing is a field for anything. */
function isChoice(field: JsonObject): boolean {
  if (member(field, 'type') === 'boolean') return true;
  const [values, titled] = [member(field, 'enum'), member(field, 'oneOf')];
  if (Array.isArray(values)) return values.length > 0;
  return Array.isArray(titled) && titled.length > 0 && titled.every((one) => member(one, 'const') !== undefined);
}

/** What a person is shown to say what is wanted. */
function samples(field: JsonObject): readonly string[] {
  const examples = member(field, 'examples');
  const all = [member(field, 'default'), ...(Array.isArray(examples) ? examples.slice(0, MAX_SAMPLES) : [])];
  return all.filter((one) => typeof one === 'string');
}

function text(of: JsonObject, key: string): string {
  return memberText(of, key).slice(0, MAX_TEXT);
}
