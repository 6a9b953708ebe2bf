import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { LimitClass } from '../../contracts/limits.ts';
import type { DevFile } from '../../config/dev-file.ts';
import type { createControl } from './control.ts';

/** The connection whose published limits are lifted. */
export const lifted = 'lifted';

const classes = ['instance/standard', 'instance/heavy', 'instance/write', 'instance/search'] as const satisfies readonly LimitClass[];

/** Opens the limits of the instance API at the service, that it has again after a kill. */
export const openLimits = async ({ limit }: Pick<ReturnType<typeof createControl>, 'limit'>): Promise<void> => {
  for (const each of classes) await limit(each, 10_000_000, 60);
};

/** Configures the connection `lifted`, for which clients keep to no published limit either. A worker knows it when it starts. */
export async function configureLifted(dir: string, url: string, keyFiles: DevFile['service']['keyFiles']): Promise<void> {
  const limits = Object.fromEntries(classes.map((name) => [name, { count: 1_000_000, seconds: 1 }]));
  const instance = { url, secret: { file: keyFiles.instance }, limits };
  const connections = { [lifted]: { maps: { url, secret: { file: keyFiles.maps } }, instance } };
  await writeFile(join(dir, 'portolan.config.mts'), `export default ${JSON.stringify({ connections })};\n`);
}
