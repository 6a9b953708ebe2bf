import type { Clock } from '../core/clock.ts';
import type { Records } from '../core/records/database.ts';
import { noteUsage } from '../core/records/usage.ts';
import type { Embedder } from './embedding/embedder.ts';
import { tokensOf } from './embedding/tokens.ts';

/** Counts what organizations use. */
export type Meter = {
  /** The embedder, on the account of an organization; '' is who has no key, and on nobody's. */
  embedder(organizationId: string): Embedder;
};

/** What was embedded is counted when it is: also a batch that is done again because a build was killed before it was written. */
export const createMeter = (records: Records, clock: Clock, embedder: Embedder): Meter => ({
  embedder: (organizationId) => ({
    ...embedder,
    async embed(texts, task, model) {
      const vectors = await embedder.embed(texts, task, model);
      if (organizationId !== '') {
        const tokens = texts.reduce((sum, text) => sum + tokensOf(text), 0);
        noteUsage(records, { organizationId, at: clock.now(), model, tokens, embeddings: texts.length });
      }
      return vectors;
    },
  }),
});
