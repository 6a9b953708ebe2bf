import type { maps } from '../../../contracts/maps/index.ts';
import { isTextModel } from '../../../contracts/maps/models.ts';
import { firstTokens, tokensOf } from '../../engine/embedding/tokens.ts';
import { invalid } from '../../core/errors.ts';
import type { Handlers } from '../../http/handlers.ts';
import { createImageEmbedding } from './embedding-images.ts';
import type { MapsState } from './state.ts';

const shorten = (vector: Float32Array, dimensions: number): number[] => {
  const part = Array.from(vector.subarray(0, dimensions));
  const length = Math.hypot(...part);
  return length === 0 ? part : part.map((value) => value / length);
};

export const createEmbedding = ({
  embedder,
  meter,
  outside,
}: Pick<MapsState, 'embedder' | 'meter' | 'outside'>): Handlers<typeof maps>['embedding'] => ({
  image: createImageEmbedding({ meter, outside }),
  async text({ texts, model, task_type, long_text_mode, max_tokens_per_text, dimensionality }, { organizationId }) {
    if (!isTextModel(model)) throw invalid('model', `unknown model ${JSON.stringify(model)}`);
    const used = long_text_mode === 'truncate' ? texts.map((text) => firstTokens(text, max_tokens_per_text)) : texts;
    const flat = await meter.embedder(organizationId).embed(used, task_type, model);
    const width = embedder.dimensions;
    const total = used.reduce((sum, text) => sum + tokensOf(text), 0);
    return {
      embeddings: texts.map((_, at) => {
        const vector = flat.subarray(at * width, (at + 1) * width);
        return dimensionality ? shorten(vector, dimensionality) : Array.from(vector);
      }),
      usage: { prompt_tokens: total, total_tokens: total },
      model,
    };
  },
});
