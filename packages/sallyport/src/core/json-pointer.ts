/** One step of a JSON Pointer (RFC 6901): the name of a member as it stands between two slashes. */
export function toStep(key: string): string {
  // Hardly a name needs it, and every text of a message is placed.
  return key.includes('~') || key.includes('/') ? key.replaceAll('~', '~0').replaceAll('/', '~1') : key;
}

/** The name of the member that a step names. */
export function fromStep(step: string): string {
  return step.replaceAll('~1', '/').replaceAll('~0', '~');
}
