/** All items of a list, page by page. */
export async function allPages<T>(
  ask: (page: {
    readonly limit: number;
    readonly cursor: string | undefined;
  }) => Promise<{ items: T[]; next?: string }>,
): Promise<T[]> {
  const found: T[] = [];
  for (let cursor: string | undefined; ; ) {
    const { items, next } = await ask({ limit: PAGE, cursor });
    found.push(...items);
    if (next === undefined) return found;
    cursor = next;
  }
}

/** The largest there is. */
const PAGE = 1000;
