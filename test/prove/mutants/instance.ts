import type { Mutant } from './mutant.ts';

const files = 'test/service/files.test.ts';

export const instance: readonly Mutant[] = [
  {
    file: 'service/http/spool.ts',
    find: "stream.once('limit', () => form.destroy(tooLarge));",
    replace: '',
    rule: 'a file above the largest is refused while it comes',
    test: 'test/service/spool.test.ts',
  },
  {
    file: 'service/http/exchange.ts',
    find: '      await fields.discard();\n',
    replace: '',
    rule: 'what a request has put on the disk goes with its answer',
    test: files,
    title: 'is refused',
  },
  {
    file: 'service/engine/files/files.ts',
    find: 'if (known?.sha256 === sha256)',
    replace: 'if (known)',
    rule: 'other bytes of a name are the next version of the file',
    test: files,
    title: 'the next version',
  },
  {
    file: 'service/engine/files/files.ts',
    find: 'folders.isTemporary(parentId) ? clock.now() + temporaryFileSeconds * 1_000 : null',
    replace: 'null',
    rule: 'what nobody launches is discarded',
    test: files,
    title: 'is discarded',
  },
  {
    file: 'service/engine/files/files.ts',
    find: "'user_id = ? AND organization_id",
    replace: "'coalesce(user_id, ?) IS NOT NULL AND organization_id",
    rule: 'a file of another user is not found',
    test: files,
    title: 'of another user',
  },
  {
    file: 'service/engine/files/ingest.ts',
    find: "fault === undefined ? 'ready' : 'failed'",
    replace: "'ready'",
    rule: 'a file that is none of its type has failed',
    test: files,
    title: 'while it is processed',
  },
  {
    file: 'service/engine/files/ingest.ts',
    find: `WHERE status = 'processing' AND discarded_at IS NULL`,
    replace: 'WHERE false',
    rule: 'what was being processed at a kill is processed',
    test: files,
    title: 'kill -9',
  },
  {
    file: 'service/apis/instance/access.ts',
    find: "scope === needed.split(':')[0]",
    replace: 'needed.startsWith(scope)',
    rule: 'to read files is not to upload them',
    test: 'test/spec/rows.test.ts',
  },
];
