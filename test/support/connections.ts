import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readDevFile } from '../../config/dev-file.ts';
import type { Stack } from './stack.ts';

/** Gives the project of a stack connections to its service, by name, each with settings of its own. A worker knows them when it starts. */
export async function writeConnections({ dir, state, url }: Stack, settings: Readonly<Record<string, object>>): Promise<void> {
  const secret = { file: readDevFile(state)!.service.keyFiles.maps };
  const connections = Object.fromEntries(Object.entries(settings).map(([name, own]) => [name, { maps: { url, secret, ...own } }]));
  await writeFile(join(dir, 'portolan.config.mts'), `export default ${JSON.stringify({ connections })};\n`);
}
