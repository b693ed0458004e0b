import { isAbsolute, relative, sep } from 'node:path';
import type { AuditHeads } from '../core/audit-heads.ts';
import type { Database } from './database.ts';

export interface AuditPlace {
  readonly stateDir: string;
  /** Of the audit; absolute. */
  readonly directory: string;
}

/** @param database opened when it is first asked */
export function createAuditHeads(database: () => Promise<Database>, place: AuditPlace): AuditHeads {
  const directory = toName(place);
  const put = async (chain: string, values: { seq?: number; hash?: string; damage?: string | null }) => {
    const opened = await database();
    await opened
      .insertInto('audit_head')
      .values({ directory, chain, seq: 0, hash: '', damage: null, accepted: 0, ...values })
      .onConflict((conflict) => conflict.columns(['directory', 'chain']).doUpdateSet({ accepted: 0, ...values }))
      .execute();
  };
  return {
    async list() {
      const opened = await database();
      const rows = await opened
        .selectFrom('audit_head')
        .select(['chain', 'seq', 'hash', 'damage', 'accepted'])
        .where('directory', '=', directory)
        .execute();
      return rows.map(({ damage, accepted, ...row }) => ({
        ...row,
        damage: damage ?? undefined,
        isAccepted: accepted === 1,
      }));
    },
    put: (chain, { seq, hash }) => put(chain, { seq, hash }),
    report: (chain, damage) => put(chain, { damage: damage ?? null }),
    async accept(chains) {
      const opened = await database();
      await opened
        .updateTable('audit_head')
        .set({ damage: null, accepted: 1 })
        .where('directory', '=', directory)
        .where('chain', 'in', chains)
        .execute();
    },
  };
}

/** A state directory may be moved, and the audit in it moves along. */
function toName({ stateDir, directory }: AuditPlace): string {
  const inside = relative(stateDir, directory);
  return inside === '..' || inside.startsWith(`..${sep}`) || isAbsolute(inside) ? directory : inside;
}
