import { createSign, generateKeyPairSync } from 'node:crypto';
import { isIP } from 'node:net';

export interface CertificateOrder {
  /** Host names and IPv4 addresses; the first one is the common name. */
  readonly names: readonly string[];
  readonly from: Date;
  readonly until: Date;
}

/** A self-signed certificate that is its own authority, and its key, as PEM. The openssl of Debian 12 makes no expired ones. */
export function makeCertificate({ names, from, until }: CertificateOrder): {
  readonly cert: string;
  readonly key: string;
} {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
  const name = sequence(set(sequence(oid(0x55, 0x04, 0x03), der(0x0c, Buffer.from(names[0] ?? 'nobody')))));
  const alternatives = names.map((each) =>
    isIP(each) === 4 ? der(0x87, Buffer.from(each.split('.').map(Number))) : der(0x82, Buffer.from(each)),
  );
  const extensions = [
    sequence(oid(0x55, 0x1d, 0x11), der(0x04, sequence(...alternatives))),
    sequence(oid(0x55, 0x1d, 0x13), der(0x04, sequence(der(0x01, Buffer.of(0xff))))),
  ];
  const body = sequence(
    der(0xa0, integer(2)),
    integer(1),
    ECDSA_SHA256,
    name,
    sequence(utcTime(from), utcTime(until)),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, sequence(...extensions)),
  );
  const signature = createSign('sha256').update(body).sign(privateKey);
  const whole = sequence(body, ECDSA_SHA256, der(0x03, Buffer.concat([Buffer.of(0), signature])));
  const lines = whole.toString('base64').replace(/.{64}/g, '$&\n');
  return {
    cert: `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`,
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
}

// DER, as far as it is needed (X.690; RFC 5280 section 4.1).

function der(tag: number, content: Buffer): Buffer {
  const { length } = content;
  const size = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.of(tag, ...size), content]);
}

function sequence(...parts: readonly Buffer[]): Buffer {
  return der(0x30, Buffer.concat(parts));
}

function set(...parts: readonly Buffer[]): Buffer {
  return der(0x31, Buffer.concat(parts));
}

function oid(...bytes: readonly number[]): Buffer {
  return der(0x06, Buffer.from(bytes));
}

function integer(value: number): Buffer {
  return der(0x02, Buffer.of(value));
}

function utcTime(date: Date): Buffer {
  return der(0x17, Buffer.from(`${date.toISOString().replace(/\D/g, '').slice(2, 14)}Z`));
}

/** 1.2.840.10045.4.3.2 */
const ECDSA_SHA256 = sequence(oid(0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02));
