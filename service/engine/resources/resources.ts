import type { ResourceKind } from '../../../contracts/maps/resources.ts';
import type { Records } from '../../core/records/database.ts';
import type { ServiceReadings } from '../../core/readings.ts';
import { HttpError } from '../../core/errors.ts';
import { noteBuild } from '../../core/records/projects.ts';
import type { Blobs } from '../blobs.ts';
import { withThread } from '../compute/compute.ts';
import type { Dataset } from '../datasets/dataset.ts';
import type { IndexIds } from '../datasets/indices.ts';
import type { Datasets } from '../datasets/store.ts';
import type { Meter } from '../meter.ts';
import { checkParameters } from './check-parameters.ts';
import { kinds, type Role } from './kinds.ts';
import { makers } from './make.ts';
import { Unmakeable, type Making } from './making.ts';
import { allUpstream, upstreamOf } from './plan.ts';
import { readResources, setStatus, type Resource } from './store.ts';

export type Resources = {
  /** Notes that a project has some to build, before they are there: a kill in between loses none. */
  note(projectId: string): void;
  /** Builds what waits in a project, in the background. */
  start(projectId: string): void;
  /** Goes on with what an earlier process left. */
  resume(): void;
  stop(projectId: string): Promise<void>;
  close(): Promise<void>;
};

type Parts = { records: Records; datasets: Datasets; meter: Meter; blobs: Blobs; readings: ServiceReadings };

/** The resource that is next: all that it stands on is there. One that was being built when a process ended is built anew. */
const nextOf = (resources: readonly Resource[]): Resource | undefined => {
  const status = new Map(resources.map((each) => [each.id, each.status]));
  return resources.find(
    (each) => (each.status === 'WAITING' || each.status === 'BUILDING') && each.upstream.every((id) => status.get(id) === 'COMPLETED'),
  );
};

const reasonOf = (error: unknown): string =>
  error instanceof Unmakeable || error instanceof HttpError
    ? error.message
    : `internal error: ${error instanceof Error ? error.message : String(error)}`;

/** Builds resources one after the other; what depends on one that failed waits. */
export const createResources = ({ records, datasets, meter, blobs, readings }: Parts): Resources => {
  const running = new Map<string, { controller: AbortController; ended: Promise<void>; again: boolean }>();

  const make = async (
    dataset: Dataset,
    projectId: string,
    resource: Resource,
    all: readonly Resource[],
    signal: AbortSignal,
  ): Promise<void> => {
    const { unbuilt } = kinds[resource.kind];
    const maker = makers[resource.kind];
    try {
      if (unbuilt !== undefined || maker === undefined) throw new Unmakeable(unbuilt ?? 'not built by the local service');
      checkParameters(resource);
      const byId = new Map(all.map((each) => [each.id, each]));
      const nearestOf = (from: Resource, ...roles: Role[]): Resource | undefined => upstreamOf(byId, from, roles);
      const upstream = (...roles: Role[]): Resource => nearestOf(resource, ...roles)!;
      const standsOn = (...of: ResourceKind[]): Resource[] => [...allUpstream(byId, resource)].filter(({ kind }) => of.includes(kind));
      const keep = async (bytes: Uint8Array): Promise<string> => (await blobs.add(projectId, bytes)).hash;
      const claim = (ids: IndexIds): void => noteBuild(records, projectId, ids);
      const { owner } = records.get<{ owner: string }>('SELECT owner FROM projects WHERE id = ?', projectId)!;
      const facts = await dataset.facts();
      if (facts.columns.length === 0) throw new Unmakeable('the dataset has no rows');
      const { result, write } = await withThread(signal, (computing) =>
        maker({
          dataset,
          facts,
          resource,
          upstream,
          nearestOf,
          standsOn,
          keep,
          claim,
          computing,
          embedder: meter.embedder(owner),
          readings,
          signal,
        } satisfies Making),
      );
      await dataset.write(async (connection) => {
        await write?.(connection);
        // With what was made, so that no kill comes between the two.
        await setStatus(connection, resource.id, 'COMPLETED', { result });
      });
    } catch (error) {
      signal.throwIfAborted();
      await dataset.write((connection) => setStatus(connection, resource.id, 'FAILED', { error: reasonOf(error) }));
    }
  };

  const work = (projectId: string, signal: AbortSignal): Promise<void> =>
    datasets.use(projectId, async (dataset) => {
      for (;;) {
        signal.throwIfAborted();
        const all = await dataset.read(readResources);
        const next = nextOf(all);
        if (!next) return;
        await dataset.write((connection) => setStatus(connection, next.id, 'BUILDING'));
        await make(dataset, projectId, next, all, signal);
      }
    });

  /** Noted since the last look of a build: that note is not the build's to take away. */
  const noted = new Set<string>();
  const note = (projectId: string): void => {
    noted.add(projectId);
    records.run('INSERT OR IGNORE INTO open_resources (project_id) VALUES (?)', projectId);
  };
  const start = (projectId: string): void => {
    const known = running.get(projectId);
    if (known) {
      known.again = true;
      return;
    }
    note(projectId);
    const controller = new AbortController();
    const build = { controller, again: false, ended: Promise.resolve() };
    running.set(projectId, build);
    build.ended = (async () => {
      try {
        do {
          build.again = false;
          noted.delete(projectId);
          await work(projectId, controller.signal);
        } while (build.again);
        if (!noted.has(projectId)) records.run('DELETE FROM open_resources WHERE project_id = ?', projectId);
      } catch (error) {
        if (!controller.signal.aborted) process.stderr.write(`resources of ${projectId}: ${String(error)}\n`);
      } finally {
        running.delete(projectId);
      }
    })();
  };
  const stopped = async (some: Iterable<{ controller: AbortController; ended: Promise<void> }>): Promise<void> => {
    const listed = [...some];
    for (const { controller } of listed) controller.abort(new Error('stopped'));
    await Promise.all(listed.map(({ ended }) => ended));
  };
  return {
    note,
    start,
    resume() {
      const open = 'SELECT project_id FROM open_resources JOIN projects ON projects.id = project_id WHERE removed_at IS NULL';
      for (const { project_id } of records.all<{ project_id: string }>(open)) start(project_id);
    },
    stop: (projectId) => stopped([...running].flatMap(([id, each]) => (id === projectId ? [each] : []))),
    close: () => stopped(running.values()),
  };
};
