import { networkInterfaces } from 'node:os';

type Interfaces = ReturnType<typeof networkInterfaces>;

/** Whether this machine has no address but its own: then a name that cannot be resolved says nothing about the name. */
export function isOffline(interfaces: Interfaces = networkInterfaces()): boolean {
  return !Object.values(interfaces).some((addresses) =>
    addresses?.some(({ internal, address }) => !internal && !isLinkLocal(address)),
  );
}

/** Given by a machine to itself where no network gave it one (RFC 3927, RFC 4291). */
function isLinkLocal(address: string): boolean {
  return address.startsWith('169.254.') || /^fe[89ab][0-9a-f]:/i.test(address);
}
