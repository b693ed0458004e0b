import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { makeCertificate } from '../../../test/make-certificate.ts';
import type { MtlsSettings } from '../../config/auth-settings.ts';
import { silentLog } from '../../core/log.ts';
import { openTlsFiles, type TlsRenewal } from './tls-files.ts';

const HOUR = 3_600_000;
const make = (name: string) =>
  makeCertificate({ names: [name], from: new Date(Date.now() - HOUR), until: new Date(Date.now() + HOUR) });

/** The files of a listener, followed; each change that is told, in order. */
function follow() {
  const dir = mkdtempSync(join(tmpdir(), 'sallyport-tls-'));
  const paths = { ca: join(dir, 'ca.pem'), cert: join(dir, 'cert.pem'), key: join(dir, 'key.pem') };
  const write = (name: keyof typeof paths, text: string) => {
    writeFileSync(`${paths[name]}.new`, text);
    renameSync(`${paths[name]}.new`, paths[name]);
  };
  const authority = make('authority');
  const own = make('own');
  write('ca', authority.cert);
  write('cert', own.cert);
  write('key', own.key);
  const told: TlsRenewal[] = [];
  const mistakes: unknown[] = [];
  let heard = (): void => {};
  const error = (fields: object) => {
    mistakes.push(fields);
    heard();
  };
  const files = openTlsFiles(paths as unknown as MtlsSettings, { ...silentLog, error });
  const stop = files.follow((renewal) => {
    told.push(renewal);
    heard();
  });
  onTestFinished(() => {
    stop();
    rmSync(dir, { recursive: true });
  });
  /** What happens is told, or said to be a mistake. */
  const after = (happens: () => void) =>
    new Promise<void>((resolve) => {
      heard = resolve;
      happens();
    });
  return { write, told, mistakes, after, stop };
}

test('files are looked at again after each change, and after one that cannot be used', async () => {
  const { write, told, mistakes, after } = follow();
  const [first, second] = [make('first authority'), make('second authority')];
  await after(() => write('ca', first.cert));
  expect(told.map(({ trust, context }) => [trust, String(context.ca)])).toEqual([[true, first.cert]]);
  const next = make('next');
  await after(() => write('key', next.key));
  expect(mistakes).toMatchObject([{ files: ['key'] }]);
  await after(() => write('cert', next.cert));
  expect(told).toHaveLength(2);
  expect(told[1]).toMatchObject({ trust: false });
  expect(String(told[1]?.context.cert)).toBe(next.cert);
  await after(() => write('ca', second.cert));
  expect(told).toHaveLength(3);
  expect(told[2]).toMatchObject({ trust: true });
  expect(String(told[2]?.context.ca)).toBe(second.cert);
});
