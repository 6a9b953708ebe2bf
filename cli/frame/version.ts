import { readFile } from 'node:fs/promises';

/** Version of the installed package; the file lies two levels up in the checkout, three in `dist/`. */
export const version = async (): Promise<string> => {
  for (const up of ['../../package.json', '../../../package.json']) {
    const text = await readFile(new URL(up, import.meta.url), 'utf8').catch(() => undefined);
    if (text) return (JSON.parse(text) as { version: string }).version;
  }
  return 'unknown';
};
