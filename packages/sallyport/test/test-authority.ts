import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { newTestFolder } from './running-sallyport.ts';

export interface Issued {
  readonly certFile: string;
  readonly keyFile: string;
  readonly cert: string;
  readonly key: string;
  /** SHA-256 of the certificate, lower-case hex. */
  readonly fingerprint: string;
}

/** A certificate authority of its own in a folder of its own, made with openssl. */
export class TestAuthority {
  readonly folder = newTestFolder();
  readonly certFile: string;
  readonly cert: string;
  #count = 0;

  constructor(name = 'Test CA') {
    this.certFile = join(this.folder, 'ca.pem');
    this.#run('req', '-x509', ...NEW_KEY, '-keyout', 'ca.key', '-out', 'ca.pem', '-days', '2', '-subj', `/CN=${name}`);
    this.cert = readFileSync(this.certFile, 'utf8');
  }

  /** @param names subject alternative names in openssl's notation, e.g. `URI:spiffe://x/y,DNS:a.example` */
  issue(commonName: string, names: string, days = 1): Issued {
    const name = `leaf-${++this.#count}`;
    const [certFile, keyFile] = [join(this.folder, `${name}.pem`), join(this.folder, `${name}.key`)];
    writeFileSync(join(this.folder, `${name}.ext`), `subjectAltName=${names}\nbasicConstraints=CA:FALSE\n`);
    this.#run('req', ...NEW_KEY, '-keyout', keyFile, '-out', `${name}.csr`, '-subj', `/CN=${commonName}`);
    this.#run(
      ...['x509', '-req', '-in', `${name}.csr`, '-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial'],
      ...['-out', certFile, '-days', String(days), '-extfile', `${name}.ext`],
    );
    const print = this.#run('x509', '-in', certFile, '-noout', '-fingerprint', '-sha256');
    return {
      certFile,
      keyFile,
      cert: readFileSync(certFile, 'utf8'),
      key: readFileSync(keyFile, 'utf8'),
      fingerprint: print.replace(/^.*=/, '').replaceAll(':', '').trim().toLowerCase(),
    };
  }

  #run(...args: readonly string[]): string {
    return execFileSync('openssl', args, { cwd: this.folder, stdio: ['ignore', 'pipe', 'ignore'], encoding: 'utf8' });
  }
}

const NEW_KEY = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
