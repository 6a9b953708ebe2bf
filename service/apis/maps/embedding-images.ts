import pLimit from 'p-limit';
import { imageLimits } from '../../../child/image-limits.ts';
import type { FieldFinding } from '../../../contracts/service.ts';
import type { maps } from '../../../contracts/maps/index.ts';
import { BadInput, NotFetched } from '../../../errors/classes.ts';
import { HttpError, invalid } from '../../core/errors.ts';
import { IMAGE_TOKENS } from '../../engine/embedding/image-vector.ts';
import { isVisionModel } from '../../../contracts/maps/models.ts';
import { fetchedAtOnce } from '../../engine/outside.ts';
import type { Handlers } from '../../http/handlers.ts';
import type { MapsState } from './state.ts';

/** Every image that cannot be had or decoded is named by its place: one call reports all of them. */
export const createImageEmbedding =
  ({ meter, outside }: Pick<MapsState, 'meter' | 'outside'>): Handlers<typeof maps>['embedding']['image'] =>
  async ({ model, images, urls }, { organizationId }) => {
    if (!isVisionModel(model)) throw invalid('model', `unknown model ${JSON.stringify(model)}; svc-embed-vision-v1 and -v1.5 embed images`);
    const vision = meter.vision(organizationId);
    const found: FieldFinding[] = [];
    const limited = pLimit(fetchedAtOnce);
    const field = images ? 'images' : 'urls';
    const embedded = async (bytes: () => Promise<Uint8Array>, at: number): Promise<number[]> => {
      try {
        return Array.from(await vision.embed(`image ${at + 1}`, await bytes(), model));
      } catch (error) {
        if (!(error instanceof BadInput)) throw error;
        const msg = error instanceof NotFetched ? `${error.message}; ${error.remedy}` : error.message;
        found.push({ loc: ['body', field, at], msg, type: 'value_error' });
        return [];
      }
    };
    const embeddings = await Promise.all(
      images
        ? images.map((image, at) => limited(() => embedded(async () => new Uint8Array(await image.arrayBuffer()), at)))
        : urls!.map((url, at) => limited(() => embedded(() => outside.fetch(url, imageLimits.fileBytes), at))),
    );
    if (found.length > 0)
      throw new HttpError(
        422,
        found.toSorted((a, b) => Number(a.loc[2]) - Number(b.loc[2])),
      );
    const total = embeddings.length * IMAGE_TOKENS;
    return { embeddings, usage: { prompt_tokens: total, total_tokens: total }, model };
  };
