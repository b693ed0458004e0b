// Around `npm pack --workspace sallyport`: `fill` copies the pages of the repository into the package, `empty` removes them.
import { cpSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const home = join(root, 'packages/sallyport');

for (const page of ['README.md', 'README.zh-CN.md', 'LICENSE', 'docs']) {
  rmSync(join(home, page), { recursive: true, force: true });
  if (process.argv[2] === 'fill') cpSync(join(root, page), join(home, page), { recursive: true });
}
