/** Tells what ends in any order in the order of its indices from 0 on: each one once all before it were told. */
export function tellInOrder<T>(tell: (one: T) => void): (index: number, one: T) => void {
  const waiting = new Map<number, { readonly one: T }>();
  let next = 0;
  return (index, one) => {
    waiting.set(index, { one });
    for (let found = waiting.get(next); found !== undefined; found = waiting.get(next)) {
      waiting.delete(next);
      next += 1;
      tell(found.one);
    }
  };
}
