import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { newTestFolder } from './running-sallyport.ts';

export interface Order {
  /** In openssl's notation, e.g. `URI:spiffe://x/y,DNS:a.example`. */
  readonly names: string;
  /** Extended key usage, e.g. `serverAuth`; left out, there is none. */
  readonly usage?: string;
  readonly from?: Date;
  readonly until?: Date;
}

export interface Certificate {
  readonly certFile: string;
  readonly keyFile: string;
  readonly cert: string;
  readonly key: string;
}

const CONFIG = `[ca]
default_ca=own
[own]
database=index
serial=serial
crlnumber=crlnumber
new_certs_dir=.
certificate=ca.pem
private_key=ca.key
default_md=sha256
policy=any
unique_subject=no
[any]
commonName=supplied
[root]
basicConstraints=critical,CA:TRUE
keyUsage=critical,keyCertSign,cRLSign
[req]
distinguished_name=dn
[dn]
`;

/** A certificate authority that keeps books, as `openssl ca` does: any dates and usages, and revocation lists. */
export class RevokingAuthority {
  readonly folder = newTestFolder();
  readonly certFile = join(this.folder, 'ca.pem');
  readonly cert: string;
  readonly key: string;
  #count = 0;

  /** @param stolen a certificate and key to issue with, whether they allow it or not */
  constructor(name = 'Test CA', stolen?: Certificate) {
    writeFileSync(join(this.folder, 'index'), '');
    writeFileSync(join(this.folder, 'serial'), '1000\n');
    writeFileSync(join(this.folder, 'crlnumber'), '1000\n');
    writeFileSync(join(this.folder, 'ca.cnf'), CONFIG);
    const own = ['-config', 'ca.cnf', '-extensions', 'root', '-subj', `/CN=${name}`];
    if (stolen === undefined)
      this.#run('req', '-x509', ...NEW_KEY, '-keyout', 'ca.key', '-out', 'ca.pem', '-days', '2', ...own);
    else {
      writeFileSync(this.certFile, stolen.cert);
      writeFileSync(join(this.folder, 'ca.key'), stolen.key);
    }
    this.cert = readFileSync(this.certFile, 'utf8');
    this.key = readFileSync(join(this.folder, 'ca.key'), 'utf8');
  }

  issue(commonName: string, { names, usage, from, until }: Order): Certificate {
    const name = `leaf-${++this.#count}`;
    const lines = [`subjectAltName=${names}`, 'basicConstraints=CA:FALSE'];
    if (usage !== undefined) lines.push(`extendedKeyUsage=${usage}`);
    writeFileSync(join(this.folder, `${name}.ext`), `${lines.join('\n')}\n`);
    this.#run('req', ...NEW_KEY, '-keyout', `${name}.key`, '-out', `${name}.csr`, '-subj', `/CN=${commonName}`);
    const now = Date.now();
    const dates = [from ?? new Date(now - 60_000), until ?? new Date(now + 86_400_000)].map(toTime);
    this.#run(
      ...['ca', '-batch', '-notext', '-config', 'ca.cnf', '-in', `${name}.csr`, '-out', `${name}.pem`],
      ...['-startdate', dates[0] ?? '', '-enddate', dates[1] ?? '', '-extfile', `${name}.ext`],
    );
    const [certFile, keyFile] = [join(this.folder, `${name}.pem`), join(this.folder, `${name}.key`)];
    return { certFile, keyFile, cert: readFileSync(certFile, 'utf8'), key: readFileSync(keyFile, 'utf8') };
  }

  /** The revocation list as of now, with these on it as well. */
  revoke(...certificates: readonly Certificate[]): string {
    for (const { certFile } of certificates) this.#run('ca', '-config', 'ca.cnf', '-revoke', certFile);
    this.#run('ca', '-config', 'ca.cnf', '-gencrl', '-crldays', '1', '-out', 'list.pem');
    return readFileSync(join(this.folder, 'list.pem'), 'utf8');
  }

  #run(...args: readonly string[]): void {
    execFileSync('openssl', args, { cwd: this.folder, stdio: ['ignore', 'ignore', 'pipe'] });
  }
}

const NEW_KEY = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];

/** `YYYYMMDDHHMMSSZ`. */
function toTime(date: Date): string {
  return `${date.toISOString().replace(/\D/g, '').slice(0, 14)}Z`;
}
