/** Of principals and clients that one server is remembered for. */
const MAX_ENTRIES = 256;

/** Sets an entry as the most recent one and drops the oldest beyond the bound. */
export function setRecent<V>(map: Map<string, V>, key: string, value: V): void {
  map.delete(key);
  map.set(key, value);
  for (const oldest of map.keys()) {
    if (map.size <= MAX_ENTRIES) break;
    map.delete(oldest);
  }
}
