import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'vitest';
import { parsedDocument } from '../../../contracts/parsed-document.ts';
import { nowhere } from './made.ts';
import type { Rows, Shown } from './row.ts';

const versionOf = async ({ invoke }: Shown, text: string): Promise<string> =>
  (await invoke('instance.files.upload', { file: new File([text], `${text}.txt`, { type: 'text/plain' }) })).fileVersionId;

/** The last word on a task. */
async function ended({ invoke }: Shown, taskId: string) {
  for (;;) {
    const answer = await invoke('instance.parse.get', { taskId });
    if (answer.status !== 'pending') return answer;
    await pause(5);
  }
}

const textOf = async (url: string | null | undefined): Promise<string[]> =>
  parsedDocument.parse(await (await fetch(url!)).json()).chunks.map(({ content }) => content);

export const instanceParse = {
  'instance.parse.submit': {
    readBack: 'instance.parse.get',
    async run(at) {
      const { taskId } = await at.invoke('instance.parse.submit', { fileVersionId: await versionOf(at, 'A ship in a storm.') });
      const { status, resultUrl } = await ended(at, taskId);
      expect(status).toBe('completed');
      expect(await textOf(resultUrl)).toEqual(['A ship in a storm.']);
      expect(await at.refused(at.invoke('instance.parse.submit', { fileVersionId: nowhere }))).toBe(404);
    },
  },
  'instance.parse.get': {
    readBack: { none: 'a task is seen by its status alone: what it says is held against the result itself' },
    async run(at) {
      const fileVersionId = await versionOf(at, 'A wheel on a road.');
      const release = await at.hold('task.begun');
      const { taskId } = await at.invoke('instance.parse.submit', { fileVersionId });
      expect(await at.invoke('instance.parse.get', { taskId })).toEqual({ status: 'pending' });
      await release();
      expect(await textOf((await ended(at, taskId)).resultUrl)).toEqual(['A wheel on a road.']);
      expect(await at.refused(at.invoke('instance.parse.get', { taskId: nowhere }))).toBe(404);
    },
  },
} satisfies Partial<Rows>;
