import type { instance } from '../../../contracts/instance/index.ts';
import { HttpError } from '../../core/errors.ts';
import type { CodeHit } from '../../engine/codes/codes.ts';
import type { Handlers } from '../../http/handlers.ts';
import type { InstanceState } from './state.ts';

/** Passages where no limit is named (public docs). */
const usual = 10;

/** A passage as it is cited. */
export const codeView = ({ id, document, passage }: CodeHit) => ({
  id,
  citationId: passage.citationId,
  pageNumber: passage.page,
  content: [{ citationId: passage.citationId, text: passage.text }],
  file: {
    id: document.id,
    name: document.name,
    mimeType: 'text/markdown',
    versionId: document.versionId,
    code: { name: document.head.code, year: document.year },
    jurisdiction: { slug: document.jurisdiction, name: document.head.jurisdiction },
    adoption: { effectiveDate: document.head.adopted ?? null, amendments: document.head.amendments },
    documentTitle: document.head.title,
  },
});

export const createCodeOperations = ({ codes, readings }: InstanceState): Handlers<typeof instance>['codes'] => ({
  search({ limit = usual, ...query }) {
    if (readings.of('unknown-jurisdiction') === 'not-found' && !codes.has(query))
      throw new HttpError(404, `no codes of ${query.jurisdiction} for ${query.codeType}`);
    return { results: codes.search({ ...query, limit }).map(codeView) };
  },
});
