import { watchId } from '../../pipelines/notify.ts';
import { alertReceiver, type AlertReceiver } from '../support/alert-receiver.ts';
import type { World } from '../support/world.ts';
import type { Recording } from './recording.ts';

const readsNothing = '{ operation: maps.projects.get, input: { project_id: 00000000-0000-4000-8000-000000000000 } }';

const tide = (notify: string, call = '{ operation: maps.user.get, input: {} }'): string => `
name: tide
notify: ${notify}
steps:
  look: { use: api.call, with: ${call} }
`;

/** A pipeline that is late, fails and recovers: its first run begins the watch, the others tell it how they ended, and the last gives it nothing to wait for. */
export const watched: Recording = (world) =>
  alerting(world, async (receiver) => {
    const run = await world.start(tide('{ on: [recovered], late: 1s, to: [ops] }'));
    await receiver.until(() => receiver.of(`${run}/late`).length > 0);
    const failed = await world.start(tide('{ on: [recovered], late: 1s, to: [ops] }', readsNothing));
    await world.ended(failed);
    const recovered = await world.start(tide('{ on: [recovered], to: [ops] }'));
    await receiver.until(() => receiver.of(`${recovered}/recovered`).length > 0);
    return { run, beside: { watch: watchOf(world, 'tide'), alert: `portolan/alert/${run}/late` } };
  });

/** A schedule that nothing has run, with a run by hand, paused, resumed and deleted: its watch is begun by it, and ends with it. */
export const scheduled: Recording = (world) =>
  alerting(world, async (receiver) => {
    const text = tide('{ late: 1s, to: [ops] }').replace('tide', 'neap');
    const file = await world.write('pipelines/neap.yaml', `${text}schedule: { every: 1d }\n`);
    const schedule = async (...argv: string[]): Promise<string> => {
      const { code, out, err } = await world.portolan(['schedule', ...argv]);
      if (code !== 0) throw new Error(`portolan schedule ${argv.join(' ')} ended ${code}: ${err}`);
      return out;
    };
    const late = (times: number) =>
      receiver.until((all) => all.filter(({ id }) => id.includes('/neap/') && id.endsWith('/late')).length === times);
    await schedule('apply', file, '-c', 'local', '--yes');
    await late(1);
    const { run } = JSON.parse(await schedule('trigger', 'neap', '--json')) as { run: string };
    await receiver.until(() => receiver.of(`${run}/late`).length > 0);
    await schedule('pause', 'neap');
    await schedule('resume', 'neap');
    await late(2);
    await schedule('delete', 'neap', '--yes');
    return { run, beside: { 'watch-of-schedule': watchOf(world, 'neap') } };
  });

/** Makes runs that alert to a receiver, which is there meanwhile. */
async function alerting(world: World, make: (receiver: AlertReceiver) => ReturnType<Recording>): ReturnType<Recording> {
  const receiver = await alertReceiver();
  process.env['ALERT_SECRET'] = 'recorded';
  await world.write(
    'portolan.config.mts',
    `export default { secrets: { hook: { env: 'ALERT_SECRET' } }, channels: { ops: { webhook: '${receiver.url}', secret: 'hook' } } };`,
  );
  await world.worker.stop();
  await world.worker.start(0);
  try {
    return await make(receiver);
  } finally {
    await receiver.close();
  }
}

const watchOf = ({ taskQueue }: World, pipeline: string): string => watchId(taskQueue, { pipeline, connections: { maps: 'local' } });
