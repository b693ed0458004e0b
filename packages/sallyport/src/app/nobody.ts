import { type Client, toDeclaration } from '../core/client.ts';
import { KEY_HOLDER } from '../core/principal.ts';
import { VERSION } from '../version.ts';

/** A client that declares nothing: what it sees, every client that declares nothing sees. */
export const NOBODY: Client = {
  key: 'sallyport',
  principal: KEY_HOLDER,
  info: { name: 'sallyport', version: VERSION },
  ...toDeclaration('modern', {}),
};
