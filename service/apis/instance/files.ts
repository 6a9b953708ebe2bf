import type { instance } from '../../../contracts/instance/index.ts';
import { invalid, notFound } from '../../core/errors.ts';
import type { FileRow } from '../../engine/files/files.ts';
import { mimeTypeOf } from '../../engine/files/kinds.ts';
import type { Handlers } from '../../http/handlers.ts';
import { spooledFile } from '../../http/spool.ts';
import { placeOf } from './file-place.ts';
import { pageById } from './page-by-id.ts';
import type { InstanceState } from './state.ts';

/** Files of a page where no limit is named (text). */
const usual = 10;

/** The one integration of this service, and the root of its paths. */
export const integration = 'files';

export const createFileOperations = ({ records, files }: InstanceState): Handlers<typeof instance>['files'] => {
  const pathOf = ({ name, parent_id }: FileRow): string =>
    [integration, ...files.folders.names(parent_id), name].map((part) => `/${encodeURIComponent(part)}`).join('');
  return {
    search({ query, integrationId = integration, limit = usual, cursor }, owner) {
      return pageById({ limit, cursor }, (behind, count) =>
        integrationId === integration
          ? records.all<FileRow>(
              // Not LIKE: what is asked for may hold its wildcards.
              `SELECT * FROM files WHERE ${files.readable} AND instr(caseless(name), caseless(?)) > 0 AND id < ? ORDER BY id DESC LIMIT ?`,
              ...files.reading(owner),
              query,
              behind,
              count,
            )
          : [],
      )((row) => ({ id: row.id, name: row.name, mimeType: row.mime_type, parentId: row.parent_id, path: pathOf(row) }));
    },
    status({ id }, owner) {
      const file = files.find(owner, id);
      if (!file) throw notFound('file', id);
      return { id, status: file.status };
    },
    tempFolder(_, { userId, organizationId, requestId }) {
      const subject = `folder/${userId}`;
      return records.effect({ requestId, operation: 'instance.files.tempFolder', subject, content: {} }, () => {
        const { id, made } = files.folders.temporary({ userId, organizationId });
        return { changed: Number(made), value: { id } };
      });
    },
    upload({ file, parentId = null, path }, { requestId, ...owner }) {
      const { path: spooled, bytes, sha256 } = spooledFile(file);
      if (bytes === 0) throw invalid('file', 'is empty: send its bytes');
      if (parentId !== null && !files.folders.find(owner, parentId)) throw notFound('folder', parentId);
      const { folders, name } = placeOf(path, file instanceof File ? file.name : '');
      const mimeType = mimeTypeOf(name, file.type);
      const subject = `file/${owner.userId}/${parentId ?? ''}/${[...folders, name].join('/')}`;
      const row = records.effect({ requestId, operation: 'instance.files.upload', subject, content: { sha256 } }, () => {
        const kind = files.folders.find(owner, parentId ?? '')?.kind ?? 'tree';
        let folder = parentId;
        for (const each of folders) folder = files.folders.ensure(owner, kind, folder, each).id;
        const added = files.add(owner, { name, mimeType, parentId: folder, sha256, bytes }, (versionId) => files.keep(spooled, versionId));
        return { changed: added.changed, value: added.row };
      });
      files.ingest(row);
      return {
        id: row.id,
        name: row.name,
        mimeType: row.mime_type,
        size: bytes,
        fileType: 'DOCUMENT',
        parentId: row.parent_id,
        fileVersionId: row.version_id,
        createdAt: row.created_at,
        status: row.status,
      };
    },
  };
};
