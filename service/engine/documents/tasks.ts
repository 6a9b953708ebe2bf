import { randomUUID } from 'node:crypto';
import { BadInput, Unavailable } from '../../../errors/classes.ts';
import type { Clock } from '../../core/clock.ts';
import type { Records } from '../../core/records/database.ts';

export type TaskState = 'WAITING' | 'BUILDING' | 'COMPLETED' | 'FAILED';

export type TaskRow = {
  task_id: string;
  kind: 'parse' | 'extract';
  organization_id: string;
  /** Whose it is alone: of the instance API. Null: of the whole organization, in the maps API. */
  user_id: string | null;
  /** JSON of what is to be done. */
  input: string;
  state: TaskState;
  verdict: string | null;
  error: string | null;
  /** How often it was begun: a kill of the service begins it again. */
  begun: number;
  /** Epoch milliseconds. */
  created_at: number;
  ended_at: number | null;
};

export type Tasks = {
  add(task: Pick<TaskRow, 'kind' | 'organization_id' | 'user_id'> & { input: unknown }): TaskRow;
  get(taskId: string): TaskRow | undefined;
  /** A task that has not ended fails as cancelled; `requestId` of who asked for it. */
  cancel(taskId: string, requestId: string): void;
  unfinished(): TaskRow[];
  /** Tasks of an organization that are of no single user, the newest first. */
  latest(organizationId: string, count: number): TaskRow[];
  /** Begins what an earlier process left unfinished. */
  resume(): void;
  /** Forgets what ended before a time (epoch milliseconds) and returns the ids. */
  forget(before: number): string[];
  /** Stops what is under way; the next process begins it again. */
  close(): Promise<void>;
};

/** A task that took the service down, or found no place to run, as often as this is not begun again. */
const mostBegun = 5;

/** Wait for what is missing on this host, in milliseconds. */
const againMs = 2_000;

export type TasksOptions = {
  records: Records;
  clock: Clock;
  /** Tasks at once. */
  atOnce: number;
  /** Does one task; its result is on disk when it returns. Fails with `BadInput` where its input is at fault. */
  work: (task: TaskRow, signal: AbortSignal) => Promise<void>;
};

/** Tasks in the order in which they came. Each is a record before it is answered, so no kill loses one. */
export function createTasks({ records, clock, atOnce, work }: TasksOptions): Tasks {
  const running = new Map<string, { controller: AbortController; ended: Promise<void> }>();
  let closed = false;
  let pause: NodeJS.Timeout | undefined;

  const end = (taskId: string, state: TaskState, verdict: string | null, error: string | null): number =>
    records.run(
      "UPDATE document_tasks SET state = ?, verdict = ?, error = ?, ended_at = ? WHERE task_id = ? AND state IN ('WAITING', 'BUILDING')",
      state,
      verdict,
      error,
      clock.now(),
      taskId,
    );

  const carryOut = async (task: TaskRow, signal: AbortSignal): Promise<void> => {
    try {
      await work(task, signal);
      end(task.task_id, 'COMPLETED', null, null);
    } catch (error) {
      // One that is under way when the service ends in order has taken nothing down: it counts as not begun.
      if (closed && signal.aborted)
        records.run(
          "UPDATE document_tasks SET state = 'WAITING', begun = begun - 1 WHERE task_id = ? AND state = 'BUILDING'",
          task.task_id,
        );
      if (signal.aborted) return;
      if (error instanceof BadInput) end(task.task_id, 'FAILED', error.verdict, error.message);
      else if (error instanceof Unavailable && error.resource !== 'configuration' && task.begun + 1 < mostBegun) {
        records.run("UPDATE document_tasks SET state = 'WAITING' WHERE task_id = ? AND state = 'BUILDING'", task.task_id);
        pause ??= setTimeout(() => {
          pause = undefined;
          begin();
        }, againMs).unref();
      } else {
        process.stderr.write(`task ${task.task_id}: ${String(error)}\n`);
        const said = error instanceof Unavailable ? error.message : 'internal error; see the log of the service';
        end(task.task_id, 'FAILED', null, said);
      }
    }
  };

  const begin = (): void => {
    while (!closed && !pause && running.size < atOnce) {
      const task = records.get<TaskRow>("SELECT * FROM document_tasks WHERE state = 'WAITING' ORDER BY created_at, rowid LIMIT 1");
      if (!task) return;
      if (task.begun >= mostBegun) {
        end(task.task_id, 'FAILED', 'crashed', `begun ${mostBegun} times, and the service ended each time before it was over`);
        continue;
      }
      records.run("UPDATE document_tasks SET state = 'BUILDING', begun = begun + 1 WHERE task_id = ?", task.task_id);
      const controller = new AbortController();
      const ended = carryOut(task, controller.signal).finally(() => {
        running.delete(task.task_id);
        begin();
      });
      running.set(task.task_id, { controller, ended });
    }
  };

  return {
    add({ kind, organization_id, user_id, input }) {
      const task_id = randomUUID();
      records.run(
        "INSERT INTO document_tasks (task_id, kind, organization_id, user_id, input, state, created_at) VALUES (?, ?, ?, ?, ?, 'WAITING', ?)",
        task_id,
        kind,
        organization_id,
        user_id,
        JSON.stringify(input),
        clock.now(),
      );
      const added = records.get<TaskRow>('SELECT * FROM document_tasks WHERE task_id = ?', task_id)!;
      begin();
      return added;
    },
    get: (taskId) => records.get<TaskRow>('SELECT * FROM document_tasks WHERE task_id = ?', taskId),
    cancel(taskId, requestId) {
      const entry = { requestId, operation: 'maps.documents.cancel', subject: `tasks/${taskId}`, content: {} };
      records.effect(entry, () => ({ changed: end(taskId, 'FAILED', 'cancelled', 'cancelled'), value: null }));
      running.get(taskId)?.controller.abort(new Error('cancelled'));
    },
    unfinished: () => records.all<TaskRow>("SELECT * FROM document_tasks WHERE state IN ('WAITING', 'BUILDING')"),
    latest: (organizationId, count) =>
      records.all<TaskRow>(
        'SELECT * FROM document_tasks WHERE organization_id = ? AND user_id IS NULL ORDER BY created_at DESC, rowid DESC LIMIT ?',
        organizationId,
        count,
      ),
    resume() {
      records.run("UPDATE document_tasks SET state = 'WAITING' WHERE state = 'BUILDING'");
      begin();
    },
    forget: (before) =>
      records
        .all<{ task_id: string }>('DELETE FROM document_tasks WHERE ended_at < ? RETURNING task_id', before)
        .map(({ task_id }) => task_id),
    async close() {
      closed = true;
      clearTimeout(pause);
      const all = [...running.values()];
      for (const { controller } of all) controller.abort(new Error('the service ends'));
      await Promise.all(all.map(({ ended }) => ended));
    },
  };
}
