import { toVariableName } from '../../config/interpolate.ts';
import type { ServerInput } from '../../config/server-json.ts';
import { FaultError } from '../../core/errors.ts';

/** One environment variable that the person sets before the server can be used. */
export interface AskedVariable {
  readonly variable: string;
  /** What the document calls it. */
  readonly input: string;
  /** The document's words. */
  readonly description: string;
  readonly isSecret: boolean;
}

/** Writes the inputs of one document as texts of the configuration, and remembers what has to be asked for. */
export interface Inputs {
  /** `undefined`: nothing has to be given, and the document has no value for it. */
  fill(key: string, input: ServerInput): string | undefined;
  /** A text with `{variables}` in it. */
  fillIn(written: string, input: Pick<ServerInput, 'variables' | 'isSecret'>): string;
  readonly asked: readonly AskedVariable[];
  /** Inputs left out, by what the document calls them. */
  readonly optional: readonly string[];
}

/**
 * @param server the name of the entry: it is part of each variable, so that a document cannot name a variable that this
 * machine has for something else, such as AWS_SECRET_ACCESS_KEY
 */
export function createInputs(server: string): Inputs {
  const asked = new Map<string, AskedVariable>();
  const optional: string[] = [];
  const ask = (key: string, { description = '', isSecret = false }: Partial<ServerInput>): string => {
    const variable = toVariableName(`MCP_${server}_${key}`);
    const known = asked.get(variable);
    if (known !== undefined && known.input !== key)
      throw refuse(`the inputs ${show(known.input)} and ${show(key)} would be the same variable ${variable}`);
    asked.set(variable, { variable, input: key, description, isSecret: isSecret || (known?.isSecret ?? false) });
    return `\${${variable}}`;
  };
  const fillIn: Inputs['fillIn'] = (written, { variables, isSecret }) => {
    const filled = written.replace(PLACEHOLDER, (place, key: string) => {
      const variable = Object.hasOwn(variables ?? {}, key) ? variables?.[key] : undefined;
      if (variable === undefined) return place;
      const secret = isSecret === true || isSecretInput(key, variable);
      const value = variable.value ?? variable.default;
      if (!secret && value !== undefined) return value;
      return ask(key, { ...variable, isSecret: secret });
    });
    checkReferences(filled, asked);
    return filled;
  };
  return {
    fill(key, input) {
      const value = input.value ?? input.default;
      const isSecret = isSecretInput(key, input);
      const hasVariables = input.variables !== undefined && Object.keys(input.variables).length > 0;
      // A secret in a document that everybody reads is no secret, and is not copied.
      if (value !== undefined && (!isSecret || hasVariables)) {
        const filled = fillIn(value, { ...input, isSecret });
        if (!isSecret || filled !== value) return filled;
      }
      if (value !== undefined || input.isRequired === true) return ask(key, { ...input, isSecret });
      optional.push(key);
      return undefined;
    },
    fillIn,
    get asked() {
      return [...asked.values()];
    },
    optional,
  };
}

const PLACEHOLDER = /\{([A-Za-z0-9_.-]{1,64})\}/g;

/** Names of values that are secrets where the document does not say whether they are. */
const SECRET_NAME = /(?:^|[-_])(?:token|secret|password|passwd|key|apikey|authorization|cookie)$/i;

function isSecretInput(key: string, { isSecret }: Pick<ServerInput, 'isSecret'>): boolean {
  return isSecret ?? SECRET_NAME.test(key);
}

/**
 * Any other reference would read a variable of this machine and hand it to the server. Looked for in what was put
 * together: a dollar sign and a brace may come from different values.
 */
function checkReferences(filled: string, asked: ReadonlyMap<string, AskedVariable>): void {
  const rest = filled.replace(/\$\{([A-Z0-9_]{1,64})\}/g, (reference, variable: string) =>
    asked.has(variable) ? '\0' : reference,
  );
  if (rest.includes('${') || rest.includes('$\0'))
    throw refuse('a value has "${", which would read variables of this machine');
}

/** The document cannot be made an entry of. */
export function refuse(reason: string): FaultError {
  return new FaultError(
    'usage',
    `This server.json is not taken over: ${reason}. If you trust the server, write its entry yourself.`,
  );
}

/** A name of the document in a message: shortened, without control characters. */
export function show(name: string): string {
  return JSON.stringify(name.length <= 60 ? name : `${name.slice(0, 60)}…`);
}
