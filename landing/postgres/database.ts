import type { Config } from '../../config/load.ts';
import { NotFetched } from '../../errors/classes.ts';
import type { QueryFile } from '../../pipelines/source-spec.ts';
import { didYouMean } from '../../text/nearest.ts';

/** Databases by their names in the configuration; `ca`: an absolute path. */
export type Databases = Config['sources']['postgres'];

export type Database = Databases[string] & { name: string };

/** The database that a source names. Fails with `NotFetched`. */
export function databaseOf({ postgres: name }: QueryFile, databases: Databases): Database {
  const found = Object.hasOwn(databases, name) ? databases[name] : undefined;
  if (found) return { ...found, name };
  throw new NotFetched(
    `the database '${name}' is not under sources.postgres in portolan.config.mts${didYouMean(name, Object.keys(databases))}`,
    `say where it is: sources: { postgres: { ${name}: { host: 'db.example.com', database: 'shop', user: 'reader', secret: NAME } } }`,
  );
}
