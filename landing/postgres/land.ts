import { randomUUID } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { networkCode } from '../../client/network-code.ts';
import { NotFetched } from '../../errors/classes.ts';
import { shortageOf } from '../../errors/system.ts';
import { fileFacts } from '../../files/file-facts.ts';
import type { QueryFile } from '../../pipelines/source-spec.ts';
import { Interrupted, usualPausesMs } from '../ask.ts';
import { settle, type FetchOptions } from '../fetch-file.ts';
import type { Landed } from '../file-set.ts';
import type { LandingOptions } from '../landing.ts';
import { removePart } from '../part-file.ts';
import { openConnection } from './connect.ts';
import { databaseOf, type Databases } from './database.ts';
import { isFinal, refusalOf, tlsRefusal } from './failure.ts';

type QueryOptions = FetchOptions & { secret: LandingOptions['secret']; databases: Databases };

/**
 * Fetches the rows of a query as one Arrow file. Where the connection breaks off all of it is read again: rows of two moments are none of
 * one table. Fails with `NotFetched` where the server refuses it, or what it gives; with `Interrupted` where no try came to an end.
 */
export async function landQuery(
  file: QueryFile,
  { databases, secret, folder, signal, pausesMs = usualPausesMs, ...reading }: QueryOptions,
): Promise<Landed> {
  const database = databaseOf(file, databases);
  await mkdir(join(folder, 'parts'), { recursive: true });
  for (let fails = 0; ; fails++) {
    const part = join(folder, 'parts', randomUUID());
    try {
      await readOnce(file, part);
      const { sha256, bytes } = await fileFacts(part);
      const path = join(folder, 'objects', sha256, `${database.name}.arrow`);
      const again = await settle({ part, bytes }, path);
      return { path, sha256, bytes, again };
    } catch (error) {
      await removePart(part);
      signal.throwIfAborted();
      const why = whatFailed(error);
      const ms = pausesMs[fails];
      if (ms === undefined) throw new Interrupted(`postgres:${database.name}: ${why}, ${fails + 1} times in a row`);
      await delay(ms, undefined, { signal });
    }
  }

  async function readOnce({ query }: QueryFile, part: string): Promise<void> {
    await using connection = await openConnection(database, secret, signal);
    const { readQuery } = await import('./read.ts');
    await readQuery(connection, { postgres: database.name, query }, database, part, reading);
  }

  /** What a failure on the way is called; throws what no further try will change. */
  function whatFailed(error: unknown): string {
    if (error instanceof NotFetched || shortageOf(error)) throw error;
    if (isFinal(error)) throw refusalOf(error, database);
    const refused = tlsRefusal(error, database);
    if (refused) throw refused;
    return `the connection failed (${networkCode(error)})`;
  }
}
