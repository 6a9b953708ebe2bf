import { setTimeout as delay } from 'node:timers/promises';
import { Client } from '@temporalio/client';
import { NativeConnection, Runtime, Worker } from '@temporalio/worker';
import { createAlertActivities } from '../activities/notify/create-alert-activities.ts';
import { createActivities } from '../activities/frame/create-activities.ts';
import { everyProtection, type Protection } from '../activities/frame/protection.ts';
import { codeOf } from '../activities/frame/table.ts';
import { createThreads } from '../activities/own/thread/host/threads.ts';
import { createImages } from '../child/host/create-images.ts';
import { createTables } from '../child/host/create-tables.ts';
import { loadConfig, stepFiles } from '../config/load.ts';
import { temporalConnection } from '../config/temporal.ts';
import { loadOwnSteps } from '../pipelines/own/load-steps.ts';
import { seeRun } from '../pipelines/see-run.ts';
import { withOwn } from '../pipelines/steps/table.ts';
import { keepRetention, retentionOf, type DayClock } from '../runs/retention.ts';
import { warmColumnar } from '../store/columnar.ts';
import { taskQueueOf } from '../store/store-id.ts';
import { landingOf } from '../landing/of-config.ts';
import { createAlerts } from './alerts.ts';
import { createConfirm } from './confirm-attempt.ts';
import { createConnections } from './open-connections.ts';
import { createOwnServices } from './own-services.ts';
import { keptViews } from './kept-views.ts';
import { createLockReleases } from './lock-releases.ts';
import { WorkerLog } from './log.ts';
import { workflowBundle } from './workflow-bundle.ts';

export type WorkerOptions = {
  cwd: string;
  /** Ends the worker in order: no new work, what is under way has 10 s. */
  signal: AbortSignal;
  /** Everything on, except in proofs that show what happens without. */
  protect?: Protection;
  /** Where it says what it has removed from the run store. */
  report?: (line: string) => void;
  onReady?: (info: { address: string; namespace: string; taskQueue: string; steps: number }) => void;
};

/** An own step has a thread alone, so there are as many threads at most. */
const activitiesAtOnce = 40;

/** Runs one worker until the signal: workflows and every step's activities. Resolves when it has drained. */
export async function runWorker({
  cwd,
  signal,
  onReady,
  report = () => undefined,
  protect = everyProtection,
}: WorkerOptions): Promise<void> {
  const config = await loadConfig(cwd);
  const temporal = temporalConnection(config);
  installRuntime();
  const own = await loadOwnSteps(await stepFiles(config));
  const steps = withOwn(own);
  const queue = taskQueueOf(config.store);
  const tables = createTables();
  const images = createImages();
  const threads = createThreads({ most: activitiesAtOnce });
  const services = createOwnServices(config, own);
  const connection = await NativeConnection.connect(temporal.options);
  try {
    const client = new Client({ connection, namespace: temporal.namespace });
    const releases = createLockReleases(client);
    const guards = { confirm: createConfirm(connection, temporal.namespace), protect };
    const worker = await Worker.create({
      connection,
      namespace: temporal.namespace,
      taskQueue: queue,
      workflowBundle: await workflowBundle(process.env['PORTOLAN_WORKFLOW_BUNDLE']),
      activities: {
        ...createActivities({
          ...guards,
          steps,
          connect: createConnections(config),
          own: services,
          tables,
          images,
          landing: landingOf(config, services.secret),
          threads,
          seeRun: (run) => seeRun(client, run),
        }),
        ...createAlertActivities({ ...guards, ...createAlerts(config) }),
      },
      sinks: { ...keptViews, ...releases.sinks },
      // A run cached on a killed worker would stall 10 s otherwise.
      stickyQueueScheduleToStartTimeout: '1s',
      // Without grace every deploy costs each activity an attempt.
      shutdownGraceTime: '10s',
      shutdownForceTime: '20s',
      maxConcurrentActivityTaskExecutions: activitiesAtOnce,
      // They are worked on one after another, and their time runs from when they are taken: a worker that takes over what a killed one had
      // would lose the last of forty to their timeout, and each that a killed one had in hand waits for its own. Those that wait at the
      // server come by priority, locks before runs.
      maxConcurrentWorkflowTaskExecutions: 4,
      maxCachedWorkflows: 200,
      // A sent heartbeat is also how a cancellation arrives.
      maxHeartbeatThrottleInterval: '1s',
      defaultHeartbeatThrottleInterval: '1s',
    });
    const stop = (): void => worker.shutdown();
    signal.addEventListener('abort', stop, { once: true });
    onReady?.({ address: temporal.address, namespace: temporal.namespace, taskQueue: queue, steps: Object.keys(steps).length });
    if (signal.aborted) stop();
    // After a crash the first work comes with a heartbeat timeout: what it needs is loaded in that time.
    void Promise.allSettled([warmColumnar(), ...Object.values(steps).map((step) => codeOf(step)?.())]);
    const ended = new AbortController();
    const tidying =
      config.retention &&
      keepRetention({ client, storeRoot: config.store }, retentionOf(config.retention), { clock, report, signal: ended.signal });
    try {
      await worker.run();
    } finally {
      ended.abort();
      await Promise.all([tidying, releases.sent()]);
    }
  } finally {
    await connection.close();
    threads.close();
    await tables.close();
    await images.close();
  }
}

const clock: DayClock = { now: Date.now, after: (ms, signal) => delay(ms, undefined, { signal }) };

/** The process owns its signals: the runtime's own handlers would shut the worker down before the parent says so. */
function installRuntime(): void {
  Runtime.install({
    logger: new WorkerLog('WARN'),
    shutdownSignals: [],
    telemetryOptions: { logging: { filter: { core: 'WARN', other: 'WARN' }, forward: {} } },
  });
}
