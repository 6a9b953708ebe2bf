import { escapeHtml as e } from '../../../text/html.ts';
import { bytes } from '../../../text/units.ts';
import { notFound } from '../../core/errors.ts';
import { findForm, minute, nextPage, plainPage, tableOf } from '../plain-page.ts';
import { reader, type InstancePagesState } from './state.ts';

/** Files of a page. */
const shown = 50;

type Facts = { status: string; fault: string | null; created_at: string; bytes: number; versions: number };

const statusOf = ({ status, fault }: Pick<Facts, 'status' | 'fault'>): string =>
  `<b class="status" data-status="${e(status)}">${e(status)}</b>${fault === null ? '' : ` <span class="quiet">${e(fault)}</span>`}`;

/** Files of the user, the newest first, all or those whose names hold a text. */
export const filesPage = async (state: InstancePagesState, query: string, cursor: string): Promise<Response> => {
  const { data, nextCursor } = await state.operations.files.search(
    { query, limit: shown, ...(cursor === '' ? {} : { cursor }) },
    reader(state),
  );
  const listed = data.map((file) => ({
    ...file,
    ...state.records.get<Facts>(
      `SELECT status, fault, files.created_at, bytes, (SELECT count(*) FROM file_versions WHERE file_id = files.id) AS versions
       FROM files JOIN file_versions ON file_versions.id = version_id WHERE files.id = ?`,
      file.id,
    )!,
  }));
  return plainPage({
    title: 'Files · local service',
    at: '/files',
    formTo: "'self'",
    body: `<h1>Files</h1>
${findForm('/files', 'Part of a name', query)}
${tableOf<(typeof listed)[number]>(
  'Files',
  [
    { name: 'status', cell: statusOf },
    { name: 'file', cell: ({ id, path }) => `<a href="/files/${e(id)}">${e(placeOf(path))}</a>` },
    { name: 'type', cell: ({ mimeType }) => e(mimeType ?? '') },
    { name: 'size', cell: (file) => bytes(file.bytes), number: true },
    { name: 'versions', cell: ({ versions }) => String(versions), number: true },
    { name: 'added', cell: ({ created_at }) => minute(created_at) },
  ],
  listed,
  query === '' ? 'None yet.' : 'None of this name.',
)}
${nextPage('/files', { q: query }, nextCursor)}`,
  });
};

/** A path as it is read, without the root that all have. */
const placeOf = (path: string | null | undefined): string =>
  (path ?? '')
    .split('/')
    .slice(2)
    .map((part) => decodeURIComponent(part))
    .join(' / ');

type Version = { id: string; mime_type: string; bytes: number; sha256: string; created_at: string };

/** One file with its versions, the newest first. */
export const filePage = (state: InstancePagesState, id: string): Response => {
  const file = state.files.find(reader(state), id);
  if (!file) throw notFound('file', id);
  const versions = state.records.all<Version>('SELECT * FROM file_versions WHERE file_id = ? ORDER BY rowid DESC LIMIT 200', id);
  return plainPage({
    title: `${file.name} · file`,
    at: '/files',
    ...(file.status === 'processing' ? { refresh: 2 } : {}),
    body: `<h1>${e(file.name)}</h1>
<p>${statusOf(file)} <span class="quiet">${e(file.mime_type)} · <code>${e(file.id)}</code></span></p>
<h2>Versions</h2>${tableOf<Version>(
      'Versions',
      [
        { name: 'added', cell: ({ created_at }) => minute(created_at) },
        { name: 'type', cell: ({ mime_type }) => e(mime_type) },
        { name: 'size', cell: (version) => bytes(version.bytes), number: true },
        { name: 'SHA-256', cell: ({ sha256 }) => `<code>${e(sha256.slice(0, 16))}</code>` },
        { name: '', cell: (version) => (version.id === file.version_id ? 'the latest' : '') },
      ],
      versions,
      'None.',
    )}`,
  });
};
