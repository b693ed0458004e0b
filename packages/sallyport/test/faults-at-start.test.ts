import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { newTestFolder, SallyportProcess, startGateway } from './running-sallyport.ts';
import { fillDisk, mountSmallDisk } from './small-disk.ts';

/** What a start says that fails. */
async function failToStart(stateDir: string): Promise<{ message: string; stderr: string }> {
  const up = new SallyportProcess({ mcpServers: {} }, ['up', '--port', '0', '--json'], { SALLYPORT_STATE: stateDir });
  const { code } = await up.exited;
  expect(code).toBe(1);
  const { error } = JSON.parse(up.stdout) as { error: { code: string; message: string } };
  expect(error.code).toBe('config');
  expect(up.stderr).not.toMatch(/\n {4}at /);
  return { message: error.message, stderr: up.stderr };
}

it('a full disk is named at the first start and at a later one, and the start works when there is room', async () => {
  const disk = join(newTestFolder(), 'disk');
  mountSmallDisk(disk, 2);
  const stateDir = join(disk, 'state');
  const makeRoomFirst = fillDisk(disk);
  expect((await failToStart(stateDir)).message).toMatch(
    /The disk is full: make room on the disk of .*disk\/state, then/,
  );
  makeRoomFirst();
  const first = await startGateway({}, [], { SALLYPORT_STATE: stateDir });
  await first.process.stop();
  const makeRoom = fillDisk(disk);
  expect((await failToStart(stateDir)).message).toMatch(
    /^(?:Opening the audit|Locking) .*The disk is full: make room on the disk of/,
  );
  makeRoom();
  const again = await startGateway({}, [], { SALLYPORT_STATE: stateDir });
  await again.process.stop();
});

it('after a clean stop the database is one file with an empty log, and a damaged one is named with its fix', async () => {
  const stateDir = join(newTestFolder(), 'state');
  const gateway = await startGateway({}, [], { SALLYPORT_STATE: stateDir });
  await gateway.process.stop();
  const file = join(stateDir, 'sallyport.db');
  expect(statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0).toBe(0);
  const good = readFileSync(file);
  for (const bad of [good.subarray(0, 3_000), Buffer.from(good).fill(7, 4_096), Buffer.alloc(8_192, 'x')]) {
    writeFileSync(file, bad);
    expect((await failToStart(stateDir)).message).toMatch(
      /^Opening the database .*sallyport\.db failed .*The file is damaged: put a backup in its place, or move .* away/,
    );
  }
  writeFileSync(file, good);
  const again = await startGateway({}, [], { SALLYPORT_STATE: stateDir });
  await again.process.stop();
});
