import type { maps } from '../../../contracts/maps/index.ts';
import { notFound } from '../../core/errors.ts';
import { projectOf } from '../../core/records/projects.ts';
import { signedBlob } from '../../engine/blob-route.ts';
import type { Handlers } from '../../http/handlers.ts';
import { filesOfUrls } from './files-of-urls.ts';
import type { MapsState } from './state.ts';

export const createBlobHandlers = ({
  records,
  blobs,
  uploads,
  signer,
  outside,
  clock,
}: Pick<MapsState, 'records' | 'blobs' | 'uploads' | 'signer' | 'outside' | 'clock'>): Handlers<typeof maps>['blobs'] => ({
  async add({ dataset_id, blobs: sent, urls = [], content_type: types = [] }, { userId, requestId }) {
    projectOf(records, userId, dataset_id);
    const given = sent ?? (await filesOfUrls(outside, urls));
    // It may have gone while they were fetched.
    if (!sent) projectOf(records, userId, dataset_id);
    const added: ({ hash: string; fresh: boolean; type: string | undefined } | null)[] = [];
    for (const [at, blob] of given.entries()) {
      const type = types[at] ?? types[0];
      added.push(blob && { ...(await blobs.add(dataset_id, new Uint8Array(await blob.arrayBuffer()), type)), type });
    }
    const kept = added.filter((each) => each !== null);
    const content = { hashes: kept.map(({ hash, type }) => (type === undefined ? hash : `${hash} ${type}`)).toSorted() };
    return records.effect({ requestId, operation: 'maps.blobs.add', subject: `blobs/${dataset_id}`, content }, () => ({
      changed: kept.filter(({ fresh }) => fresh).length,
      value: { hashes: added.map((each) => each?.hash ?? null) },
    }));
  },
  get({ dataset_id, blob_hash }, { userId, origin }) {
    const { id } = projectOf(records, userId, dataset_id, 'read');
    if (!blobs.has(id, blob_hash)) throw notFound('blob', blob_hash);
    const signed = signedBlob(id, blob_hash);
    return { url: `${origin}${signed.path}?${signer.sign(signed, clock.now(), uploads.settings.urlSeconds)}` };
  },
});
