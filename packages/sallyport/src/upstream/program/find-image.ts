import { execFile } from 'node:child_process';

/** An engine that is not there, or starts slowly, must not hold up a start for long. Milliseconds. */
const ENGINE_MS = 5000;
const DIGEST = /@(sha256:[0-9a-f]{64})$/;
const ID = /^sha256:[0-9a-f]{64}$/;

/** The digest of an image: the one in its name, else that of the local image of this name. `undefined`: neither. */
export async function findImage(
  engine: string,
  image: string,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<string | undefined> {
  const [, named] = DIGEST.exec(image) ?? [];
  if (named !== undefined) return named;
  // A word that reads as an option would be one.
  if (image.startsWith('-')) return undefined;
  const text = await new Promise<string>((resolve) => {
    const words = ['image', 'inspect', '--format', '{{.Id}}', image];
    execFile(engine, words, { env: environment, timeout: ENGINE_MS, maxBuffer: 64 * 1024 }, (error, stdout) =>
      resolve(error === null ? stdout.trim() : ''),
    );
  });
  return ID.test(text) ? text : undefined;
}
