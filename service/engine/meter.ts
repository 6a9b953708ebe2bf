import type { Clock } from '../core/clock.ts';
import type { Records } from '../core/records/database.ts';
import { noteUsage } from '../core/records/usage.ts';
import type { Embedder } from './embedding/embedder.ts';
import { IMAGE_TOKENS } from './embedding/image-vector.ts';
import { isVisionModel } from '../../contracts/maps/models.ts';
import { textModelOf } from './embedding/models.ts';
import { tokensOf } from './embedding/tokens.ts';
import type { Vision } from './embedding/vision.ts';

/** Counts what organizations use. */
export type Meter = {
  /** The embedder, on the account of an organization; '' is who has no key, and on nobody's. */
  embedder(organizationId: string): Embedder;
  /** The embedder of images, likewise. */
  vision(organizationId: string): Vision;
};

/** What was embedded is counted when it is: also a batch that is done again because a build was killed before it was written. */
export const createMeter = (records: Records, clock: Clock, embedder: Embedder, vision: Vision): Meter => ({
  vision: (organizationId) => ({
    ...vision,
    async embed(name, image, model) {
      const vector = await vision.embed(name, image, model);
      if (organizationId !== '') noteUsage(records, { organizationId, at: clock.now(), model, tokens: IMAGE_TOKENS, embeddings: 1 });
      return vector;
    },
  }),
  embedder: (organizationId) => ({
    ...embedder,
    async embed(texts, task, model, longestWaitMs) {
      const vectors = await embedder.embed(texts, task, model, longestWaitMs);
      if (organizationId !== '') {
        const tokens = texts.reduce((sum, text) => sum + tokensOf(text), 0);
        // A text that searches images is embedded by the text model of their space.
        const by = isVisionModel(model) ? textModelOf(model) : model;
        noteUsage(records, { organizationId, at: clock.now(), model: by, tokens, embeddings: texts.length });
      }
      return vectors;
    },
  }),
});
