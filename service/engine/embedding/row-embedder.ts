import type { Blobs } from '../blobs.ts';
import type { Meter } from '../meter.ts';
import { DIMENSIONS } from './layout.ts';
import { isVisionModel } from '../../../contracts/maps/models.ts';
import { patienceMs, type Embedder } from './embedder.ts';

/** Embeds what rows of a dataset hold, on the account of its owner: texts, or by a model of images the blobs whose hashes they are. */
export const createRowEmbedder = (meter: Meter, blobs: Blobs, project: { id: string; owner: string }): Embedder => {
  const texts = meter.embedder(project.owner);
  const vision = meter.vision(project.owner);
  const embedBlobs = async (hashes: readonly string[], model: string): Promise<Float32Array> => {
    const vectors = new Float32Array(hashes.length * DIMENSIONS);
    for (const [at, hash] of hashes.entries()) {
      const file = blobs.file(project.id, hash);
      if (file === undefined) throw new Error(`_blob_hash: ${JSON.stringify(hash)} is no blob of this dataset`);
      vectors.set(await vision.embed(`blob ${hash}`, file, model), at * DIMENSIONS);
    }
    return vectors;
  };
  return {
    ...texts,
    embed: (values, task, model) => (isVisionModel(model) ? embedBlobs(values, model) : texts.embed(values, task, model, patienceMs)),
  };
};
