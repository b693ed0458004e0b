import { DefinitionError } from './definition-error.ts';

/** An environment variable that a server needs. */
export interface SecretRule {
  readonly description: string;
  /** Where a person gets the value, for example the page of a key. */
  readonly from?: string;
  readonly isOptional?: boolean;
  readonly pattern?: RegExp;
}

export type Secrets<S extends Readonly<Record<string, SecretRule>>> = {
  readonly [Name in keyof S]: S[Name]['isOptional'] extends true ? string | undefined : string;
};

/** Reads all at once, so that the author learns of every missing one in the first try. @throws DefinitionError without any value */
export function readSecrets<S extends Readonly<Record<string, SecretRule>>>(
  rules: S,
  environment: Readonly<Record<string, string | undefined>>,
): Secrets<S> {
  const problems: string[] = [];
  const found: Record<string, string | undefined> = {};
  for (const [name, { description, from, isOptional = false, pattern }] of Object.entries(rules)) {
    const value = environment[name];
    const where = from === undefined ? '' : ` Get it at ${from}.`;
    if (value === undefined || value === '') {
      if (!isOptional) problems.push(`${name} is not set (${description}).${where}`);
    } else if (pattern?.test(value) === false) problems.push(`${name} does not look right (${description}).${where}`);
    else found[name] = value;
  }
  if (problems.length > 0)
    throw new DefinitionError(
      'The environment',
      problems.join(' '),
      'Set it where the server is started, then start again.',
    );
  // Every required name was checked above.
  return found as Secrets<S>;
}
