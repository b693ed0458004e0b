import { createApprovalStore } from '../storage/approvals.ts';
import type { Database } from '../storage/database.ts';
import { createGrantStore } from '../storage/grants.ts';
import { ApprovalDesk, type DeskPorts } from './approval-desk.ts';

export interface LateDeskPorts extends Omit<DeskPorts, 'approvals' | 'grants'> {
  readonly openDatabase: () => Promise<Database>;
}

export interface LateDesk extends Pick<ApprovalDesk, 'settle' | 'answer'> {
  /** Idempotent. */
  close(): Promise<void>;
}

/** A desk whose database is opened by the first call that asks: most laptops never do. */
export function createLateDesk({ openDatabase, ...ports }: LateDeskPorts): LateDesk {
  let opened: Promise<{ readonly desk: ApprovalDesk; readonly database: Database }> | undefined;
  const open = async () => {
    opened ??= openDatabase().then((database) => {
      const approvals = createApprovalStore(database, ports.clock);
      const desk = new ApprovalDesk({ ...ports, approvals, grants: createGrantStore(database, ports.clock) });
      return { desk, database };
    });
    try {
      return (await opened).desk;
    } catch (error) {
      // The next call tries again: a full disk may have been emptied.
      opened = undefined;
      throw error;
    }
  };
  return {
    settle: async (first, call, inbound) => (await open()).settle(first, call, inbound),
    answer: async (id, answer) => (await open()).answer(id, answer),
    async close() {
      const present = await opened?.catch(() => undefined);
      opened = undefined;
      present?.desk.close();
      await present?.database.destroy();
    },
  };
}
