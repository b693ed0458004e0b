/**
 * Which door a client came through: the shared one, that of a single upstream, or that of a bundle. `isPlain`: the path whose
 * list has every definition, however large it is.
 */
export type Endpoint =
  | { readonly kind: 'all'; readonly isPlain?: true }
  | { readonly kind: 'server'; readonly name: string }
  | { readonly kind: 'bundle'; readonly name: string; readonly isPlain?: true };

export function isSameEndpoint(one: Endpoint, other: Endpoint): boolean {
  return toKey(one) === toKey(other);
}

function toKey(endpoint: Endpoint): string {
  const { kind } = endpoint;
  return JSON.stringify([kind, kind === 'all' ? '' : endpoint.name, kind !== 'server' && endpoint.isPlain === true]);
}
