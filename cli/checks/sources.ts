import { namedSecret } from '../../config/named-secret.ts';
import { databasesOf } from '../../landing/of-config.ts';
import { failed, good, type Check, type Found } from './check.ts';

/** Longer nobody waits for a place that does not answer. */
const longestMs = 10_000;

/** The places of sources that the configuration names. Libraries that only some of them need are loaded for them. */
export const sources: Check = {
  name: 'sources',
  needs: 'config',
  async run({ config }) {
    const { s3, allow } = config!.sources;
    const secret = async (name: string): Promise<string> => namedSecret(config!, name, 'a source');
    const check = async (place: string, probe: (signal: AbortSignal) => Promise<string>): Promise<Found[]> =>
      probe(AbortSignal.timeout(longestMs)).then(good, (error: unknown) =>
        failed(error, `see whether sources.${place} in portolan.config.mts says where it is`),
      );
    const found = [
      ...Object.entries(s3).map(([name, storage]) =>
        check(`s3.${name}`, async (signal) => {
          const { probeStorage } = await import('../../landing/s3/probe.ts');
          return `the storage ${name} ${await probeStorage({ ...storage, name }, { secret, allow }, signal)}`;
        }),
      ),
      ...Object.entries(databasesOf(config!)).map(([name, database]) =>
        check(`postgres.${name}`, async (signal) => {
          const { probeDatabase } = await import('../../landing/postgres/probe.ts');
          return `the database ${name} is PostgreSQL ${await probeDatabase({ ...database, name }, secret, signal)}`;
        }),
      ),
    ];
    return found.length === 0 ? good('no storage and no database is named') : (await Promise.all(found)).flat();
  },
};
