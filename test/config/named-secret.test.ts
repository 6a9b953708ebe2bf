import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { namedSecret } from '../../config/named-secret.ts';
import { loadConfig } from '../../config/load.ts';
import { configured } from './support.ts';

const read = async (value: string): Promise<string> => {
  const folder = configured({ secrets: { SHOP: { file: 'shop' } } }, { shop: value });
  chmodSync(join(folder, 'shop'), 0o600);
  return namedSecret(await loadConfig(folder), 'SHOP');
};

test('a named secret may be a password with letters of any language', async () => {
  expect(await read('contraseña-Ü-密\n')).toBe('contraseña-Ü-密');
});

test('what nobody sees in it is refused, by its code point and without the value', async () => {
  const refused = read('canary\u200b');
  await expect(refused).rejects.toThrow(/^secrets\.SHOP: .*shop holds the character U\+200B, which no secret has/);
  await expect(refused).rejects.not.toThrow(/canary/);
});
