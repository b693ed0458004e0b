/** A definition that breaks a rule of the kit. Thrown where the tool or server is defined, before anything is served. */
export class DefinitionError extends Error {
  override readonly name = 'DefinitionError';

  /**
   * @param subject the tool, resource, prompt or server, by name
   * @param rule what is required
   * @param fix what to write instead
   */
  constructor(subject: string, rule: string, fix: string) {
    super(`${subject}: ${rule} ${fix}`);
  }
}
