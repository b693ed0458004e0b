import type { TextSeal } from '../core/text-seal.ts';
import type { Approval } from '../guard/approve/approval.ts';
import { createApprovalStore } from '../storage/approvals.ts';
import type { Database } from '../storage/database.ts';
import { createGrantStore } from '../storage/grants.ts';
import { ApprovalDesk, type DeskPorts } from './approval-desk.ts';

export interface LateDeskPorts extends Omit<DeskPorts, 'approvals' | 'grants'> {
  readonly database: () => Promise<Database>;
  /** Seals what people are asked. */
  readonly texts: () => Promise<TextSeal>;
}

export interface LateDesk extends Pick<ApprovalDesk, 'settle' | 'answer'> {
  /** Goes on where another process stopped; what fails is logged. */
  resume(): void;
  /** An answer was taken by somebody else in this process. */
  heard(approval: Approval): void;
  /** Idempotent. */
  close(): Promise<void>;
}

/** A desk that takes the database when the first call asks: most laptops never do. */
export function createLateDesk({ database, texts, ...ports }: LateDeskPorts): LateDesk {
  let opened: Promise<ApprovalDesk> | undefined;
  const open = async () => {
    opened ??= Promise.all([database(), texts()]).then(([open, seal]) => {
      const approvals = createApprovalStore(open, ports.clock, seal);
      return new ApprovalDesk({ ...ports, approvals, grants: createGrantStore(open, ports.clock, seal) });
    });
    try {
      return await opened;
    } catch (error) {
      // The next call tries again: a full disk may have been emptied.
      opened = undefined;
      throw error;
    }
  };
  return {
    settle: async (first, envelope, inbound) => (await open()).settle(first, envelope, inbound),
    answer: async (id, answer) => (await open()).answer(id, answer),
    resume() {
      open()
        .then((desk) => desk.resume())
        .catch((error: unknown) => ports.log.error({ error }, 'the approvals that wait could not be looked at'));
    },
    heard(approval) {
      void opened?.then((desk) => desk.heard(approval)).catch(() => undefined);
    },
    async close() {
      const present = await opened?.catch(() => undefined);
      opened = undefined;
      present?.close();
    },
  };
}
