import { resolve } from 'node:path';
import type { Config } from '../config/load.ts';
import { bytesOf } from '../text/size.ts';
import { createLanding, type Landing, type LandingOptions } from './landing.ts';
import type { Databases } from './postgres/database.ts';

/** Databases as the configuration names them, the files that it names as absolute paths. */
export const databasesOf = ({ root, sources }: Pick<Config, 'root' | 'sources'>): Databases =>
  Object.fromEntries(
    Object.entries(sources.postgres).map(([name, { ca, ...database }]) => [
      name,
      { ...database, ...(ca !== undefined && { ca: resolve(root, ca) }) },
    ]),
  );

/** Fetching as the configuration has it. */
export const landingOf = (config: Pick<Config, 'store' | 'root' | 'sources'>, secret: LandingOptions['secret']): Landing => {
  const { allow, most, s3 } = config.sources;
  return createLanding({ root: config.store, allow, mostBytes: bytesOf(most), storages: s3, databases: databasesOf(config), secret });
};
