import { Unavailable } from '../../../../errors/classes.ts';
import { secretsRead } from '../../secrets.ts';
import { codeVersion } from '../../../../pipelines/own/code-version.ts';
import type { Own } from '../../../../pipelines/step.ts';
import type { CallFacts, ThreadMethods } from '../protocol.ts';
import type { Doors } from './doors.ts';
import { createThreadPool, type ThreadsOptions } from './thread-pool.ts';
import type { Thread } from './thread.ts';
import { ThreadEnded } from './thread-ended.ts';
import { createTurns } from './turns.ts';
import { whenUnheard } from './unheard.ts';

/** The file that a thread is started for. */
export type OwnFile = Omit<Own, 'code'>;

/** A call of the user's code, as its input is sent. */
export type CallName = 'run' | 'start' | 'check' | 'items' | 'each';

export type OwnCall<Name extends CallName> = {
  method: Name;
  input: Omit<ThreadMethods[Name]['input'], 'scope' | 'cell'>;
  doors: Doors;
  signal: AbortSignal;
};

/** What a call that is under way lets its caller know and do. */
export type UnderWay<Name extends CallName> = {
  /** Fails with what the code threw, with `ThreadEnded`, or with the signal's reason when the code does not hear it. */
  ended: Promise<ThreadMethods[Name]['output']>;
  /** For how long the code has it, in milliseconds; undefined before it has. Also known of a thread that has ended. */
  ranMs(): number | undefined;
};

/** The thread of one execution: started again where it has ended, with the same version of the file or not at all. */
export type Lease = {
  /** Starts the thread and loads the file, so that no call fails because of that. */
  ready(): Promise<void>;
  call<Name extends CallName>(call: OwnCall<Name>): UnderWay<Name>;
  /** Ends the thread unless its event loop turns. Resolves with whether it does. */
  responds(): Promise<boolean>;
};

export type Threads = {
  /** Lends a thread with this file to `work`. `alone`: while no other thread of this process has work, which is waited for. */
  use<T>(file: OwnFile, work: (lease: Lease) => Promise<T>, how?: { alone: boolean; signal?: AbortSignal }): Promise<T>;
  /** Ends all threads. */
  close(): void;
};

/** Time for a thread to say that its event loop turns. */
const graceMs = 5_000;

/** Threads for own steps: each execution has one alone, and a thread is kept for the next one of the same file. */
export function createThreads(options: ThreadsOptions = {}): Threads {
  const pool = createThreadPool(options);
  const turnOf = createTurns();
  return {
    async use({ file, version }, work, how = { alone: false }) {
      let thread: Thread | undefined;
      const underWay = new Set<number>();
      /** Code that did not end when it was asked to. */
      let left = false;
      const here = (): Thread => (thread?.alive ? thread : (thread = pool.take(file)));
      const start = <Name extends CallName>(thread: Thread, { method, input, doors, signal }: OwnCall<Name>): UnderWay<Name> => {
        const cell = thread.takeCell();
        const scope = thread.open({ ...doors, signal });
        underWay.add(cell);
        const unheard = whenUnheard(signal);
        const sent = { ...input, scope, cell } as ThreadMethods[Name]['input'] & CallFacts;
        let over = false;
        let begunAt: bigint | undefined;
        const ended = Promise.race([thread.channel.request(method, sent, signal), unheard.rejects])
          .catch((error: unknown) => {
            left ||= unheard.happened();
            // What the code throws stands in events, histories and logs, whoever reads it.
            if (error instanceof Error) secretsRead.scrubFrom(error);
            throw error;
          })
          .finally(() => {
            over = true;
            begunAt = thread.begunAt(cell);
            unheard.end();
            thread.close(scope);
            underWay.delete(cell);
            // Code that still waits for its turn would mark the next call in its place.
            if (begunAt !== undefined || !unheard.happened()) thread.freeCell(cell);
          });
        const ranMs = (): number | undefined => {
          const at = over ? begunAt : thread.begunAt(cell);
          return at === undefined ? undefined : Number(process.hrtime.bigint() - at) / 1e6;
        };
        return { ended, ranMs };
      };
      const ready = async (): Promise<Thread> => {
        if (!thread?.alive) sameVersion(file, version);
        const found = here();
        await found.load();
        return found;
      };
      const lease: Lease = {
        ready: async () => void (await ready()),
        call(given) {
          if (thread?.alive) return start(thread, given);
          let begun: ReturnType<typeof start<typeof given.method>> | undefined;
          return { ended: ready().then((found) => (begun = start(found, given)).ended), ranMs: () => begun?.ranMs() };
        },
        async responds() {
          if (!thread?.alive) return false;
          const asked = thread;
          const timer = Promise.withResolvers<false>();
          const timeout = setTimeout(() => timer.resolve(false), graceMs);
          const turns = await Promise.race([asked.channel.request('ping', null).then(() => true), timer.promise]).catch(() => false);
          clearTimeout(timeout);
          if (!turns) await asked.endStuck();
          return turns;
        },
      };
      const endTurn = await turnOf(how);
      try {
        return await work(lease);
      } finally {
        endTurn();
        if (thread && (left || underWay.size > 0)) thread.end(new ThreadEnded('its step is over'));
        else if (thread) pool.give(thread);
      }
    },
    close: () => pool.close(),
  };
}

/** A run keeps to one version of the code: that which the worker has read. */
function sameVersion(file: string, version: string): void {
  if (versionNow(file) !== version)
    throw new Unavailable(
      'configuration',
      `${file} is not what it was when this worker started; start the worker again (portolan dev does it by itself)`,
    );
}

function versionNow(file: string): string | undefined {
  try {
    return codeVersion(file);
  } catch {
    return undefined;
  }
}
