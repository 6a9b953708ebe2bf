import { NotFetched } from '../../errors/classes.ts';
import type { LandingOptions } from '../landing.ts';
import { openConnection } from './connect.ts';
import type { Database } from './database.ts';
import { isFinal, refusalOf, tlsRefusal } from './failure.ts';

/** The version of the server of a database, which its user may enter. Fails with `NotFetched`, or with what the connection reports. */
export async function probeDatabase(database: Database, secret: LandingOptions['secret'], signal: AbortSignal): Promise<string> {
  try {
    await using connection = await openConnection(database, secret, signal);
    const { rows } = await connection.client.query<{ server_version: string }>('show server_version');
    return rows[0]!.server_version;
  } catch (error) {
    if (error instanceof NotFetched) throw error;
    throw (isFinal(error) ? refusalOf(error, database) : tlsRefusal(error, database)) ?? error;
  }
}
