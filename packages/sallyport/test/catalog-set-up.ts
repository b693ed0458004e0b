import { createCatalog } from '../src/catalog/catalog.ts';
import type { Catalog, CatalogPorts, ListChange } from '../src/catalog/contract.ts';
import { silentLog } from '../src/core/log.ts';
import { type FakeServer, FakeUpstreams } from './fake-upstreams.ts';

export const ALL = { kind: 'all' } as const;
const open: Catalog[] = [];

export async function closeCatalogs(): Promise<void> {
  await Promise.all(open.splice(0).map((catalog) => catalog.close()));
}

/** A store in memory and a clock that can be put forward. */
export function setUp(servers: Record<string, FakeServer>, more: Partial<CatalogPorts> & { text?: string } = {}) {
  const upstreams = new FakeUpstreams(servers);
  const kept = { text: more.text };
  const store = {
    load: async () => kept.text,
    save: async (text: string) => {
      kept.text = text;
    },
  };
  const time = { ahead: 0 };
  const clock = { now: () => Date.now() + time.ahead };
  const catalog = createCatalog({ upstreams, store, clock, log: silentLog, ...more });
  open.push(catalog);
  const changes: ListChange[] = [];
  /** What a server announced although nothing changed. */
  const repeated: ListChange[] = [];
  catalog.onChange((change) => (change.isSame === true ? repeated : changes).push(change));
  return { upstreams, catalog, kept, time, changes, repeated };
}

export function tool(name: string, more = ''): string {
  return `{"name":"${name}","inputSchema":{"type":"object"}${more}}`;
}

export function withTools(...names: string[]): FakeServer {
  return { capabilities: { tools: {} }, answer: () => toolsOf(...names) };
}

export function toolsOf(...names: string[]): string {
  return `{"tools":[${names.map((name) => tool(name)).join(',')}]}`;
}

export function namesIn(view: Awaited<ReturnType<Catalog['view']>>, kind: 'tools' | 'prompts' = 'tools'): string[] {
  return JSON.parse(view.list(kind, undefined).items).map((item: { name: string }) => item.name);
}
