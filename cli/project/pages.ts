import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

/** The site lies beside the compiled code; from the sources of a checkout it is in `dist/`. */
const places = ['../../site/', '../../dist/site/'].map((up) => fileURLToPath(new URL(up, import.meta.url)));

/** Folder of the pages of this package, with a slash at its end; undefined in a checkout that is not built. */
export const site = (): string | undefined => places.find((place) => existsSync(`${place}index.html`));

/** Names of the pages, without their ending. */
export const pageNames = async (): Promise<string[]> => {
  const folder = site();
  const names = folder === undefined ? [] : await readdir(folder);
  return names.filter((name) => name.endsWith('.html')).map((name) => name.slice(0, -'.html'.length));
};
