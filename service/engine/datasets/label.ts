import { withThread } from '../compute/compute.ts';
import { wantedLabels } from '../labels/options.ts';
import type { Dataset } from './dataset.ts';
import { labelDuplicates } from './label-duplicates.ts';
import { labelTopics } from './label-topics.ts';
import type { IndexRow } from './schema.ts';

/** Gives the points of an index the topics and the duplicates that its order asks for; what they have already stays, but where it was to be made anew. */
export const labelRows = async (dataset: Dataset, index: IndexRow, signal: AbortSignal): Promise<void> => {
  const wanted = wantedLabels(index);
  if (index.dimensions === null || (!wanted.topics && !wanted.duplicates)) return;
  await withThread(signal, async (computing) => {
    const labelled = {
      topic_depths: wanted.topics ? await labelTopics(dataset, index, wanted.topics.field, computing) : 0,
      duplicates: wanted.duplicates ? await labelDuplicates(dataset, index, wanted.duplicates.cutoff, computing) : false,
    };
    await dataset.write(async (connection) => {
      await connection.run('DELETE FROM labelled WHERE index_id = ?', [index.index_id]);
      await connection.run('INSERT INTO labelled VALUES (?, ?, ?)', [index.index_id, labelled.topic_depths, labelled.duplicates]);
    });
  });
};
