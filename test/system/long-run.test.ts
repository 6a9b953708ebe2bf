import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, inject, test } from 'vitest';
import { findTemporal } from '../../dev/temporal/binary.ts';
import { startTemporal } from '../../dev/temporal/server.ts';
import { createWorld, newSlug } from '../support/world.ts';

const steps = 12;

/** A chain of calls beside a gate that waits all the time. */
const chain = `
name: chain
params: { dataset: { type: slug } }
steps:
  ask: { use: gate.approve, with: { expires: 1h } }
  s0: { use: dataset.ensure, with: { slug: "\${{ params.dataset }}" } }
${Array.from({ length: steps }, (_, at) => `  s${at + 1}: { use: api.call, needs: [s${at}], with: { operation: maps.projects.get, input: { project_id: "\${{ steps.s0.id }}" } } }`).join('\n')}
outputs: { by: "\${{ steps.ask.who }}", slug: "\${{ steps.s${steps}.result.slug }}" }
`;

test('a long run continues as new, several times, with nothing done twice and a gate kept open', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'portolan-impatient-'));
  const { path: binary } = await findTemporal({ dir: fileURLToPath(new URL('../../.portolan', import.meta.url)), tell: () => undefined });
  // The server suggests it after 4,096 events by default; the workflow follows the suggestion.
  const server = await startTemporal({ dir, binary, headless: true, settings: { 'limit.historyCount.suggestContinueAsNew': 30 } });
  try {
    await using world = await createWorld({ temporal: server.address, bundle: inject('bundle') });
    const dataset = newSlug('long');
    const { value, calls } = await world.callsOf(async () => {
      const { code, result } = await world.run(chain, { dataset });
      expect([code, result.state]).toEqual([3, 'approval']);
      // All that does not stand behind the gate is done while it waits: an open gate holds nothing up.
      await world.until(result.run, ({ view }) => view.steps.filter(({ status }) => status === 'done').length === steps + 1);
      expect(await world.portolan(['approve', result.run, 'ask', '--note', 'go', '--as', 'ada'])).toMatchObject({ code: 0 });
      return world.ended(result.run);
    });
    expect(value.view).toMatchObject({ state: 'done', outputs: { by: 'ada', slug: dataset } });

    const histories = await world.histories(value.view.run);
    expect(histories.length).toBeGreaterThanOrEqual(3);
    const activities = histories
      .flatMap(({ events }) => events ?? [])
      .flatMap((event) => event.activityTaskScheduledEventAttributes?.activityId ?? []);
    expect(activities).toEqual(Array.from({ length: steps + 1 }, (_, at) => `s${at}/main`));
    // dataset.ensure reads the new dataset once.
    expect(calls.filter((operation) => operation === 'maps.projects.get')).toHaveLength(steps + 1);
    // The run is one run, whoever asks: its start is the first execution's.
    expect(await world.portolan(['status', value.view.run])).toMatchObject({ code: 0, out: expect.stringContaining('done') });
  } finally {
    await server.stop();
    await rm(dir, { recursive: true, force: true, maxRetries: 3 });
  }
});
