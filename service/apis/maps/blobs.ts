import type { maps } from '../../../contracts/maps/index.ts';
import { notFound } from '../../core/errors.ts';
import { projectOf } from '../../core/records/projects.ts';
import { signedBlob } from '../../engine/blob-route.ts';
import type { Handlers } from '../../http/handlers.ts';
import type { MapsState } from './state.ts';

export const createBlobHandlers = ({
  records,
  blobs,
  uploads,
  signer,
  clock,
}: Pick<MapsState, 'records' | 'blobs' | 'uploads' | 'signer' | 'clock'>): Handlers<typeof maps>['blobs'] => ({
  async add({ dataset_id, blobs: given }, { userId, requestId }) {
    projectOf(records, userId, dataset_id);
    const added: Awaited<ReturnType<typeof blobs.add>>[] = [];
    for (const blob of given) added.push(await blobs.add(dataset_id, new Uint8Array(await blob.arrayBuffer())));
    const hashes = added.map(({ hash }) => hash);
    return records.effect(
      { requestId, operation: 'maps.blobs.add', subject: `blobs/${dataset_id}`, content: { hashes: hashes.toSorted() } },
      () => ({ changed: added.filter(({ fresh }) => fresh).length, value: { hashes } }),
    );
  },
  get({ dataset_id, blob_hash }, { userId, origin }) {
    const { id } = projectOf(records, userId, dataset_id, 'read');
    if (!blobs.has(id, blob_hash)) throw notFound('blob', blob_hash);
    const signed = signedBlob(id, blob_hash);
    return { url: `${origin}${signed.path}?${signer.sign(signed, clock.now(), uploads.settings.urlSeconds)}` };
  },
});
