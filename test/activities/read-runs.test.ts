import { expect, test } from 'vitest';
import { readRun } from '../../activities/budgets/read-runs.ts';
import type { StepContext } from '../../activities/frame/context.ts';

const run = { agent: 'a1', member: 'ada@example.com' };

const read = (detail: object | Error, usage: object | Error = { spend: [] }) =>
  readRun(run, {
    invoke: async (operation: string) => {
      const answer = operation === 'instance.agents.usage' ? usage : detail;
      if (answer instanceof Error) throw answer;
      return answer;
    },
  } as unknown as StepContext);

const refused = (status: number) => Object.assign(new Error(`refused with ${status}`), { status });

test('an agent is read with what each model has cost, in billionths of a dollar', async () => {
  const spend = [
    { model: 'm', costUsd: 0.1 },
    { model: 'n', costUsd: 0.000_000_001_4 },
  ];
  expect(await read({ projectId: 'p1', createdAt: '2026-11-21T12:00:00Z', updatedAt: null, status: 'running' }, { spend })).toEqual({
    run: 'a1',
    member: 'ada@example.com',
    project: 'p1',
    createdAt: '2026-11-21T12:00:00Z',
    updatedAt: null,
    underWay: true,
    gone: false,
    models: [
      { model: 'm', nano: 100_000_000 },
      { model: 'n', nano: 1 },
    ],
  });
});

test('an agent that is gone, or goes between its two answers, is none; any other refusal is no answer', async () => {
  const detail = { status: 'completed' };
  expect(await read(refused(404))).toBeUndefined();
  expect(await read(detail, refused(404))).toBeUndefined();
  for (const status of [403, 410, 503]) await expect(read(refused(status))).rejects.toThrow(`refused with ${status}`);
  await expect(read(new Error('no answer'))).rejects.toThrow('no answer');
});
