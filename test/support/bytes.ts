import { glob, readFile } from 'node:fs/promises';
import { join } from 'node:path';

const core = (text: string, before: number): string => {
  // In base64 a text looks different at each of three offsets; the characters at its ends depend on its neighbours.
  const encoded = Buffer.concat([Buffer.alloc(before), Buffer.from(text)])
    .toString('base64')
    .replace(/=+$/, '');
  return encoded.slice(Math.ceil((before * 8) / 6), Math.floor(((before + Buffer.byteLength(text)) * 8) / 6));
};

/** A secret in every form it may leak in: as it is, url-encoded, in hex, in base64 at any offset. */
export const formsOf = (secret: string): { form: string; bytes: Buffer }[] => [
  { form: 'plain', bytes: Buffer.from(secret) },
  { form: 'url', bytes: Buffer.from(encodeURIComponent(secret)) },
  { form: 'hex', bytes: Buffer.from(Buffer.from(secret).toString('hex')) },
  ...[0, 1, 2].flatMap((before) => [
    { form: `base64+${before}`, bytes: Buffer.from(core(secret, before)) },
    { form: `base64url+${before}`, bytes: Buffer.from(core(secret, before).replaceAll('+', '-').replaceAll('/', '_')) },
  ]),
];

/** Forms of a secret that stand in some bytes. */
export const findSecret = (bytes: Uint8Array, secret: string): string[] =>
  formsOf(secret).flatMap(({ form, bytes: wanted }) =>
    Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).includes(wanted) ? [form] : [],
  );

/** Files below a folder that hold a secret in some form: `path (form)`, apart from those named. */
export async function filesWith(
  folder: string,
  secret: string,
  except: readonly string[] = [],
): Promise<{ searched: string[]; found: string[] }> {
  const searched: string[] = [];
  const found: string[] = [];
  for await (const entry of glob('**/*', { cwd: folder, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    if (except.includes(path)) continue;
    searched.push(path);
    found.push(...findSecret(await readFile(path), secret).map((form) => `${path} (${form})`));
  }
  return { searched, found };
}
