const endings: (() => unknown)[] = [];

/** Runs `end` after the last test of the file, whatever happened; the last one registered first. */
export function atTheEnd(end: () => unknown): void {
  endings.push(end);
}

/** Called by `after-each-file.ts`. */
export async function endAll(): Promise<void> {
  for (const end of endings.splice(0).reverse()) await end();
}
