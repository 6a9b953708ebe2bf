import { isAbsolute } from 'node:path';
import { sha256 } from '../../text/sha256.ts';
import { ApiError } from '../../client/errors.ts';
import { BadInput } from '../../errors/classes.ts';
import type { definition } from '../../pipelines/steps/images/add.ts';
import type { ActivityOf } from '../frame/activity.ts';
import type { StepContext } from '../frame/context.ts';

const activity: ActivityOf<typeof definition> = {
  async run({ dataset, file, name = file, side }, context) {
    if (!isAbsolute(file)) throw new BadInput('bad_input', `file: ${file} is no whole path; take \${{ file.path }} of forEach: { files }`);
    const { jpeg, width, height } = await context.images.shrink(name, file, side, { signal: context.signal });
    const content = { id: sha256(name).slice(0, 32), width, height, bytes: jpeg.byteLength };
    const known = sha256(jpeg);
    if (await isThere(context, dataset, known)) return { ...content, hash: known, sent: false };
    const { hashes } = await context.maps.blobs.add(
      { dataset_id: dataset, blobs: [new Blob([new Uint8Array(jpeg)], { type: 'image/jpeg' })] },
      { signal: context.signal },
    );
    const [hash] = hashes;
    if (!hash) throw new BadInput('bad_input', `${name}: the service took the image and gave no hash: it does not keep it`);
    return { ...content, hash, sent: true };
  },
};
export default activity;

/**
 * Whether a dataset has a blob. How a service makes hashes is not said: one that makes them otherwise than of the bytes' SHA-256 does not
 * know this one, and is sent what it has, which changes nothing.
 */
async function isThere({ maps, signal }: StepContext, dataset: string, blob_hash: string): Promise<boolean> {
  try {
    await maps.blobs.get({ dataset_id: dataset, blob_hash }, { signal });
    return true;
  } catch (error) {
    if (error instanceof ApiError && (error.status === 404 || error.status === 422)) return false;
    throw error;
  }
}
