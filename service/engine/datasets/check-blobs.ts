import { invalid } from '../../core/errors.ts';
import { readChunks } from './chunks.ts';
import type { Datasets } from './store.ts';

/** Hashes that a refusal names. */
const mostNamed = 3;

/** 422 where a row names a blob that is not among those of the dataset: its map could not be built. */
export const checkBlobs = (datasets: Datasets, projectId: string, known: ReadonlySet<string>): Promise<void> =>
  datasets.use(projectId, (dataset) =>
    dataset.read(async (connection, factsHere) => {
      const { columns } = await factsHere();
      // That there is none is said where the order meets the columns.
      if (!columns.some(({ name }) => name === '_blob_hash')) return;
      const missing: string[] = [];
      for await (const chunk of readChunks(
        connection,
        `SELECT DISTINCT "_blob_hash" FROM data WHERE "_row" NOT IN (SELECT "_row" FROM deleted) ORDER BY 1`,
      ))
        missing.push(...(chunk.getColumnValues(0) as string[]).filter((hash) => !known.has(hash)));
      if (missing.length === 0) return;
      const named = missing.slice(0, mostNamed).map((hash) => JSON.stringify(hash));
      throw invalid(
        'indexed_field',
        `_blob_hash names ${missing.length} blobs that this dataset does not have, such as ${named.join(', ')}: add them with POST /v1/project/data/add/blobs`,
      );
    }),
  );
