import { IncomingMessage } from 'node:http';
import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate } from 'node:zlib';
import { FaultError } from '../core/errors.ts';
import { FastRequest } from './fast-request.ts';
import type { HttpRequest } from './http-exchange.ts';

const DECODERS: ReadonlyMap<string, (bytes: Buffer, options: { maxOutputLength: number }) => Promise<Buffer>> = new Map(
  [
    ['gzip', promisify(gunzip)],
    ['deflate', promisify(inflate)],
    ['br', promisify(brotliDecompress)],
  ],
);

/**
 * The body of a request, decompressed, at most `limit` bytes long at any stage.
 * @throws FaultError `too_large` as soon as the limit is certain to be passed, `invalid_request` for a broken or unknown encoding.
 */
export function readBody(request: HttpRequest, limit: number): Buffer | Promise<Buffer> {
  if (request instanceof FastRequest) {
    if (request.body.length > limit) throw tooLarge(limit);
    return request.body;
  }
  if (request instanceof IncomingMessage) return collect(request, limit);
  throw new FaultError('internal', 'A request that nobody can read.');
}

function collect(request: IncomingMessage, limit: number): Promise<Buffer> {
  const declared = Number(request.headers['content-length'] ?? 0);
  if (declared > limit) return Promise.reject(tooLarge(limit));
  return new Promise<Buffer>((resolve, reject) => {
    let first: Buffer | undefined;
    let rest: Buffer[] | undefined;
    let length = 0;
    request.on('data', (chunk: Buffer) => {
      length += chunk.length;
      if (length > limit) {
        reject(tooLarge(limit));
        return;
      }
      if (first === undefined) first = chunk;
      else {
        rest ??= [first];
        rest.push(chunk);
      }
    });
    request.on('end', () => {
      const body = rest === undefined ? (first ?? Buffer.alloc(0)) : Buffer.concat(rest, length);
      const encoding = request.headers['content-encoding'];
      if (encoding === undefined || encoding === 'identity') resolve(body);
      else decode(body, encoding, limit).then(resolve, reject);
    });
    request.on('error', (error) =>
      reject(new FaultError('cancelled', 'The client went away while sending.', { cause: error })),
    );
    request.on('aborted', () => reject(new FaultError('cancelled', 'The client went away while sending.')));
  });
}

async function decode(body: Buffer, encoding: string, limit: number): Promise<Buffer> {
  const decoder = DECODERS.get(encoding.toLowerCase());
  if (decoder === undefined)
    throw new FaultError(
      'invalid_request',
      `Content-Encoding ${encoding.slice(0, 32)} is not supported; use gzip, deflate, br or none.`,
    );
  try {
    return await decoder(body, { maxOutputLength: limit });
  } catch (error) {
    const tooMuch =
      error instanceof RangeError ||
      (error instanceof Error && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE');
    throw tooMuch
      ? tooLarge(limit)
      : new FaultError('invalid_request', 'The compressed body cannot be read.', { cause: error });
  }
}

function tooLarge(limit: number): FaultError {
  return new FaultError('too_large', `The request body is larger than ${limit} bytes.`);
}
