import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openRecords } from '../../service/core/records/database.ts';
import { firstUser } from '../../service/core/records/organizations.ts';
import { createResources } from '../../service/engine/resources/resources.ts';

test('resources that are added while a build ends are noted until they are built: a kill before their start loses none', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'portolan-open-resources-'));
  const records = openRecords(join(folder, 'records.sqlite'));
  onTestFinished(() => {
    records.close();
    rmSync(folder, { recursive: true });
  });
  const { organizationId, userId } = firstUser(records);
  records.run(
    `INSERT INTO projects (id, owner, creator, project_name, slug, description, is_public, is_public_to_org, privacy, created_at)
    VALUES ('project', ?, ?, 'Films', 'films', '', 0, 0, 'private', '2026-01-01T00:00:00Z')`,
    organizationId,
    userId,
  );
  const open = () => records.all<{ project_id: string }>('SELECT project_id FROM open_resources').map(({ project_id }) => project_id);
  let looked = Promise.withResolvers<never[]>();
  // Of the dataset only what the build looks at, held until it is released.
  const dataset = { read: () => looked.promise };
  const datasets = { use: (_: string, work: (of: typeof dataset) => Promise<unknown>) => work(dataset) };
  const resources = createResources({ records, datasets } as unknown as Parameters<typeof createResources>[0]);

  resources.start('project');
  resources.note('project');
  looked.resolve([]);
  await resources.close();
  expect(open()).toEqual(['project']);

  looked = Promise.withResolvers();
  resources.start('project');
  looked.resolve([]);
  await resources.close();
  expect(open()).toEqual([]);
});
