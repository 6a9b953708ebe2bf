import { notFound } from '../../../core/errors.ts';
import type { Records } from '../../../core/records/database.ts';
import type { Signed, Signer } from '../../signature.ts';
import { isFormat, makeExport, type Exported } from './make-export.ts';

/** Path of an export's URL as Hono writes it; `signedExport` fills it. */
export const EXPORT_ROUTE = '/exports/:artifact/:version/:format/:file';

/** How long the URL of an export is accepted, in seconds (instance text). */
export const exportSeconds = 300;

/** Stands in a URL where the file is about all that the artifact cites. */
const all = 'all';

export const signedExport = ({ artifactId, version, format, file = all }: Exported): Signed => ({
  method: 'GET',
  path: `/exports/${artifactId}/${version}/${format}/${file}`,
  from: 'GET /api/v0/agents/{id}/artifacts/{artifactId}/exports',
});

/** GET of one export: checks the URL and its time (`at`, epoch milliseconds). The file is made of the version that the URL names. */
export const createExportHandler =
  (records: Records, signer: Signer) =>
  async (request: Request, at: number): Promise<Response> => {
    const url = new URL(request.url);
    const [, , artifactId = '', version = '', format = '', file = ''] = url.pathname.split('/');
    if (!isFormat(format)) throw notFound('export', format);
    const asked: Exported = { artifactId, version: Number(version), format, ...(file === all ? {} : { file }) };
    signer.check(signedExport(asked), url.searchParams, at, 403);
    const made = await makeExport(records, asked);
    if (!made) throw notFound('artifact', artifactId);
    return new Response(made.bytes as Uint8Array<ArrayBuffer>, {
      headers: {
        'content-type': made.mimeType,
        'content-length': String(made.bytes.byteLength),
        'content-disposition': `attachment; filename*=UTF-8''${encodeURIComponent(made.filename)}`,
        'x-content-type-options': 'nosniff',
      },
    });
  };
