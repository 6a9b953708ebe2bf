import type { maps } from '../../../contracts/maps/index.ts';
import { projectOf } from '../../core/records/projects.ts';
import type { Handlers } from '../../http/handlers.ts';
import type { MapsState } from './state.ts';

export const createBlobHandlers = ({ records, blobs }: Pick<MapsState, 'records' | 'blobs'>): Handlers<typeof maps>['blobs'] => ({
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
});
