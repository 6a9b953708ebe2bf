import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Words as they are compared: letters and digits, in one normal form and case. */
export const wordsOf = (text: string): string[] =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .match(/[\p{L}\p{N}]+/gu) ?? [];

/** How many of the words are among those that were read, each as often as it was. */
export function found(words: readonly string[], read: readonly string[]): number {
  const left = new Map<string, number>();
  for (const word of read) left.set(word, (left.get(word) ?? 0) + 1);
  let count = 0;
  for (const word of words) {
    const more = left.get(word) ?? 0;
    if (more === 0) continue;
    left.set(word, more - 1);
    count += 1;
  }
  return count;
}

/** Seconds after which poppler is given up: it goes on without end with some damaged files. */
const popplerSeconds = 20;

/** The words of a PDF by poppler; undefined where it reads none, or is not installed. */
export const popplerWords = (path: string): Promise<string[] | undefined> =>
  run('pdftotext', ['-enc', 'UTF-8', path, '-'], { timeout: popplerSeconds * 1_000, killSignal: 'SIGKILL', maxBuffer: 2 ** 28 }).then(
    ({ stdout }) => wordsOf(stdout),
    () => undefined,
  );

/** The first page of a PDF as a picture of 200 dpi by poppler; the path of the PNG. Fails where poppler is not installed. */
export async function renderedByPoppler(pdf: Uint8Array, path: string): Promise<string> {
  await writeFile(`${path}.pdf`, pdf);
  await run('pdftoppm', ['-r', '200', '-png', '-singlefile', `${path}.pdf`, path]);
  return `${path}.png`;
}
