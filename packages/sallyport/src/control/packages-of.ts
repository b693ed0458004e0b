import { findPackage, toPackageName } from '../config/find-package.ts';
import type { ServerSettings } from '../config/settings.ts';

/** Server -> the package its command runs, with its exact version or a star. */
export function packagesOf(servers: Iterable<ServerSettings>): ReadonlyMap<string, string> {
  const packages = new Map<string, string>();
  for (const { name, transport } of servers) {
    const found = findPackage(transport);
    if (found !== undefined) packages.set(name, toPackageName(found));
  }
  return packages;
}

/** What to say about packages that are another one with every release. */
export function warnOfPackages(packages: ReadonlyMap<string, string>): readonly string[] {
  return [...packages]
    .filter(([, name]) => name.endsWith('@*'))
    .map(
      ([server, name]) =>
        `${server} runs ${name.slice(0, -2)} without an exact version: whoever publishes it chooses what runs. Write name@1.2.3 in its args.`,
    );
}
