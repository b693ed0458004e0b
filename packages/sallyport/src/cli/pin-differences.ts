import { allPages } from './all-pages.ts';
import type { Api, ApiResult } from './api.ts';

export type PinDifference = ApiResult<'listPinDifferences'>['items'][number];

export interface PinDifferences {
  /** Stands for exactly these definitions. */
  readonly digest: string;
  readonly items: readonly PinDifference[];
}

/** What waits for a decision, of all servers, of one, or one item. */
export async function readDifferences(api: Api, [server, item]: readonly string[]): Promise<PinDifferences> {
  const digests = new Set<string>();
  const items = await allPages(async (page) => {
    const answer = await api.call('listPinDifferences', { query: { ...page, server, item } });
    digests.add(answer.digest);
    return answer;
  });
  const [digest = ''] = digests;
  // Pages of two moments are no picture of either: their digest is nobody's.
  return { digest: digests.size === 1 ? digest : '', items };
}
