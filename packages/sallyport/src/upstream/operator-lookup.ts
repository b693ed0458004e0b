import { lookup as lookUp } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { Agent, fetch as fetchBy } from 'undici';
import type { Post } from '../core/post.ts';
import { isNeverMeant } from '../core/public-address.ts';
import type { Resolve } from './auth/guarded-fetch.ts';

/**
 * Names that the operator wrote down may lead into private networks, and never to the metadata service of a cloud: what
 * is judged here is what the socket connects to, so that a name that is turned between two requests gains nothing.
 */
export function createOperatorLookup(resolve: Resolve = lookUp): LookupFunction {
  return (host, options, callback) => {
    resolve(host, { ...options, all: true }, (error, found) => {
      if (error !== null) {
        callback(error, []);
        return;
      }
      const [first] = found;
      if (first === undefined || found.some(({ address }) => isNeverMeant(address)))
        callback(Object.assign(new Error('this name leads to a metadata service'), { code: 'EADDRFORBIDDEN' }), []);
      else if (options.all === true) callback(null, found);
      else callback(null, first.address, first.family);
    });
  };
}

/** Sends what webhooks, collectors and judges get; redirects are refused, and names are judged as above. */
export function createOperatorPost(resolve?: Resolve): Post {
  const dispatcher = new Agent({ connect: { lookup: createOperatorLookup(resolve) }, connections: 16 });
  return (url, post) => fetchBy(url, { ...post, dispatcher });
}
