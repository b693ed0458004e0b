/** Keeps texts of a database from whoever only has the database. */
export interface TextSeal {
  /** @param context whose it is and where it stands: it opens nowhere else */
  seal(context: readonly string[], value: string): string;
  /** @throws Error for what was not sealed with this key in this context */
  open(context: readonly string[], sealed: string): Buffer;
}
