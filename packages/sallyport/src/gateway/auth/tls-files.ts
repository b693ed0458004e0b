import { readFileSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { createSecureContext, type SecureContextOptions } from 'node:tls';
import type { MtlsSettings } from '../../config/auth-settings.ts';
import { FaultError } from '../../core/errors.ts';
import type { Log } from '../../core/log.ts';

/** What the listener is given when the files have changed. */
export interface TlsRenewal {
  readonly context: SecureContextOptions;
  /** Whom we believe has changed, and not only our own certificate. */
  readonly trust: boolean;
}

export interface TlsFiles {
  readonly context: SecureContextOptions;
  /** Calls back with each change of the files that can be used. Returns what ends that. */
  follow(onRenewal: (renewal: TlsRenewal) => void): () => void;
}

/** Certificates live for days, revocations should count at once; looking costs four calls of stat. Milliseconds. */
const LOOK_MS = 1_000;

const KEYS = ['ca', 'cert', 'key', 'crl'] as const;
type Pem = Readonly<Partial<Record<(typeof KEYS)[number], Buffer>>>;

/**
 * The PEM files of the listener. They are looked at again and again: certificates are renewed and revoked while
 * Sallyport runs, often by exchanging a link, which no watch of the file system tells of. Files that do not go
 * together, as between the writing of two of them, change nothing.
 * @throws FaultError `config` when one of the files cannot be read or they cannot be used together
 */
export function openTlsFiles(settings: MtlsSettings, log: Log): TlsFiles {
  let pem = readAll(settings);
  const reason = findMistake(pem);
  if (reason !== undefined)
    throw new FaultError('config', `gateway.auth.mtls: the files cannot be used: ${reason}.`, { data: { reason } });
  return {
    context: pem,
    follow(onRenewal) {
      let seen = '';
      let looking = false;
      const look = async () => {
        const stamp = await readStamp(settings);
        if (stamp === undefined || stamp === seen) return;
        const next = await readAgain(settings);
        if (next === undefined) return;
        seen = stamp;
        const changed = KEYS.filter((key) => !isSame(pem[key], next[key]));
        if (changed.length === 0) return;
        const mistake = findMistake(next);
        if (mistake !== undefined) {
          log.error({ files: changed, reason: mistake }, 'the changed certificate files are not used');
          return;
        }
        pem = next;
        log.info({ files: changed }, 'the certificate files have changed and are used from now on');
        onRenewal({ context: next, trust: changed.includes('ca') || changed.includes('crl') });
      };
      const timer = setInterval(() => {
        if (looking) return;
        looking = true;
        void look().finally(() => {
          looking = false;
        });
      }, LOOK_MS);
      timer.unref();
      return () => clearInterval(timer);
    },
  };
}

function readAll(settings: MtlsSettings): Pem {
  const read = (key: (typeof KEYS)[number]) => {
    const path = settings[key];
    try {
      return path === undefined ? {} : { [key]: readFileSync(path) };
    } catch (error) {
      throw new FaultError('config', `gateway.auth.mtls.${key}: the file ${path} cannot be read.`, { cause: error });
    }
  };
  return Object.assign({}, ...KEYS.map(read)) as Pem; // each of them as written above
}

/** What cannot be read at the moment is looked at again: the old files serve. */
async function readAgain(settings: MtlsSettings): Promise<Pem | undefined> {
  const pem: Partial<Record<(typeof KEYS)[number], Buffer>> = {};
  for (const key of KEYS) {
    const path = settings[key];
    const bytes = path === undefined ? undefined : await readFile(path).catch(() => undefined);
    if (path !== undefined && bytes === undefined) return undefined;
    if (bytes !== undefined) pem[key] = bytes;
  }
  return pem;
}

/** Another file, or another time or size of it. */
async function readStamp(settings: MtlsSettings): Promise<string | undefined> {
  const stamps: string[] = [];
  for (const key of KEYS) {
    const path = settings[key];
    if (path === undefined) continue;
    const found = await stat(path, { bigint: true }).catch(() => undefined);
    if (found === undefined) return undefined;
    stamps.push(`${found.dev}.${found.ino}.${found.size}.${found.mtimeNs}`);
  }
  return stamps.join();
}

function isSame(one: Buffer | undefined, other: Buffer | undefined): boolean {
  return one === undefined || other === undefined ? one === other : one.equals(other);
}

function findMistake(pem: Pem): string | undefined {
  // OpenSSL takes a file without any certificate for a list of none.
  if (!/-----BEGIN (?:TRUSTED |X509 )?CERTIFICATE-----/.test(pem.ca?.toString('latin1') ?? ''))
    return 'the ca holds no certificate';
  if (pem.crl !== undefined && !pem.crl.includes('-----BEGIN X509 CRL-----')) return 'the crl holds no revocation list';
  try {
    createSecureContext(pem);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : 'unreadable';
  }
}
