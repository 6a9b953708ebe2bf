import { expect } from 'vitest';
import { nowhere } from './made.ts';
import type { Rows, Shown } from './row.ts';

let made = 0;
const workflow = (at: Shown) => at.invoke('instance.workflows.create', { name: `Review ${++made}`, instructionMarkdown: '# Read' });

export const instanceWorkflows = {
  'instance.workflows.list': {
    readBack: 'instance.workflows.get',
    async run(at) {
      const { id } = await workflow(at);
      const { name } = await at.invoke('instance.workflows.get', { workflowId: id });
      const { data } = await at.invoke('instance.workflows.list', { query: name.toLowerCase() });
      expect(data).toEqual([{ id, name, description: null, requestedFiles: [] }]);
      expect(await at.invoke('instance.workflows.get', { workflowId: data[0]!.id })).toMatchObject({ name });
      expect(
        await at.refused(
          at.withKey((await at.user({ service: 'instance', scopes: ['developer:files'] })).token)('instance.workflows.list', {}),
        ),
      ).toBe(403);
    },
  },
  'instance.workflows.create': {
    readBack: 'instance.workflows.get',
    async run(at) {
      const requestedFiles = [{ name: 'plan', description: 'a drawing', optional: false, multiple: true }];
      const written = await at.invoke('instance.workflows.create', {
        name: 'Check of plans',
        metadata: { greeting: 'hello' },
        instructionMarkdown: 'Count doors.',
        requestedFiles,
        linkedArtifacts: [{ name: 'form', content: '# Doors' }],
      });
      expect(written).toMatchObject({ version: 1, createdNewVersion: true, linkedArtifacts: [{ name: 'form' }] });
      expect(await at.invoke('instance.workflows.get', { workflowId: written.id })).toMatchObject({
        name: 'Check of plans',
        metadata: { greeting: 'hello' },
        releasedVersionId: null,
        latestVersionId: written.versionId,
        version: {
          instructionMarkdown: 'Count doors.',
          isReleased: false,
          requestedFiles,
          linkedArtifacts: [{ type: 'MARKDOWN_DOCUMENT', content: '# Doors' }],
        },
      });
      expect(await at.refused(at.invoke('instance.workflows.create', { name: 'x', projectId: nowhere }))).toBe(404);
    },
  },
  'instance.workflows.get': {
    readBack: 'instance.workflows.versions',
    async run(at) {
      const { id: workflowId, versionId } = await workflow(at);
      await at.invoke('instance.workflows.release', { workflowId, versionId });
      const next = await at.invoke('instance.workflows.update', { workflowId, instructionMarkdown: '# Read twice' });
      expect((await at.invoke('instance.workflows.get', { workflowId })).version).toMatchObject({ id: next.versionId, version: 2 });
      expect((await at.invoke('instance.workflows.get', { workflowId, versionId })).version).toMatchObject({ id: versionId, version: 1 });
      expect((await at.invoke('instance.workflows.versions', { workflowId })).map((each) => each.version)).toEqual([2, 1]);
      expect(await at.refused(at.invoke('instance.workflows.get', { workflowId: nowhere }))).toBe(404);
    },
  },
  'instance.workflows.update': {
    readBack: 'instance.workflows.get',
    async run(at) {
      const { id: workflowId, versionId } = await workflow(at);
      const written = await at.invoke('instance.workflows.update', { workflowId, model: 'large' });
      expect(written).toMatchObject({ versionId, version: 1, createdNewVersion: false });
      const { version } = await at.invoke('instance.workflows.get', { workflowId });
      expect(version).toMatchObject({ model: 'large', instructionMarkdown: '# Read' });
      expect(await at.refused(at.invoke('instance.workflows.update', { workflowId, baseVersionId: nowhere }))).toBe(400);
    },
  },
  'instance.workflows.versions': {
    readBack: 'instance.workflows.get',
    async run(at) {
      const { id: workflowId, versionId } = await workflow(at);
      const [version] = await at.invoke('instance.workflows.versions', { workflowId });
      expect(version).toMatchObject({ id: versionId, version: 1, isReleased: false, runCount: 0, totalCostUsd: 0, averageCostUsd: null });
      expect(await at.invoke('instance.workflows.get', { workflowId })).toMatchObject({ latestVersionId: version!.id });
      expect(await at.refused(at.invoke('instance.workflows.versions', { workflowId: nowhere }))).toBe(404);
    },
  },
  'instance.workflows.release': {
    readBack: 'instance.workflows.get',
    async run(at) {
      const { id: workflowId, versionId } = await workflow(at);
      const first = await at.invoke('instance.workflows.release', { workflowId, versionId });
      expect(first).toMatchObject({ releasedVersionId: versionId, version: 1, previousReleasedVersionId: null });
      expect(await at.invoke('instance.workflows.get', { workflowId })).toMatchObject({ releasedVersionId: versionId });
      expect(await at.refused(at.invoke('instance.workflows.release', { workflowId, versionId: nowhere }))).toBe(404);
    },
  },
} satisfies Partial<Rows>;
