/** Which door a client came through: the shared one, that of a single upstream, or that of a bundle. */
export type Endpoint =
  | { readonly kind: 'all' }
  | { readonly kind: 'server'; readonly name: string }
  | { readonly kind: 'bundle'; readonly name: string };
