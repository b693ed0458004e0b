/**
 * Secrets of Sallyport that this process has loaded: its own key, seal keys, the control token. In one place for the process,
 * so that none is forgotten: whoever loads one does so through `loadOrCreateSecret`.
 */
const known: string[] = [];

export function rememberOwnSecret(secret: string): void {
  if (!known.includes(secret)) known.push(secret);
}

export function ownSecrets(): readonly string[] {
  return known;
}
