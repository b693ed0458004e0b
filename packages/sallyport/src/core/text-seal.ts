/** Keeps texts of a database from whoever only has the database. */
export interface TextSeal {
  /** @param context whose it is and where it stands: it opens nowhere else */
  seal(context: readonly string[], value: string): string;
  /** @throws Error for what was not sealed with this key in this context */
  open(context: readonly string[], sealed: string): Buffer;
}

/** The same for bytes. What is sealed is {@link SEAL_BYTES} longer. */
export interface ByteSeal {
  sealBytes(context: readonly string[], value: Uint8Array): Buffer;
  /** @throws Error for what was not sealed with this key in this context */
  openBytes(context: readonly string[], sealed: Buffer): Buffer;
}

/** Nonce and tag of AES-256-GCM. */
export const SEAL_BYTES = 28;
