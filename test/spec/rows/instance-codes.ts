import { expect } from 'vitest';
import type { Rows } from './row.ts';

const harborland = { jurisdiction: 'harborland', codeType: 'building' };

export const instanceCodes = {
  'instance.codes.search': {
    readBack: { none: 'codes are read by nothing else' },
    async run(at) {
      const { results } = await at.invoke('instance.codes.search', { query: 'how wide must an exit stair be', ...harborland });
      expect(results[0]).toMatchObject({
        citationId: '1005.3',
        pageNumber: 33,
        content: [{ citationId: '1005.3', text: expect.stringContaining('7.6 millimetres') }],
        file: {
          code: { name: 'Harborland Building Code', year: 2024 },
          jurisdiction: { slug: 'harborland', name: 'Harborland' },
          adoption: { effectiveDate: '2024-07-01', amendments: [] },
        },
      });
      const { token } = await at.user({ service: 'instance', scopes: ['developer:files'] });
      expect(await at.refused(at.withKey(token)('instance.codes.search', { query: 'x', ...harborland }))).toBe(403);
    },
  },
} satisfies Partial<Rows>;
