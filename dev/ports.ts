import { createServer } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { DevError } from './dev-error.ts';

/** A port that is asked for. One of an earlier start may be replaced; one that a person named by an `option` is that or none. */
export type AskedPort = { port: number; option?: string | undefined };

const host = '127.0.0.1';

const tryPort = (port: number): Promise<number | undefined> =>
  new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(undefined));
    server.listen({ port, host, exclusive: true }, () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : undefined));
    });
  });

const untilFree = async (port: number, waitMs: number): Promise<number | undefined> => {
  const deadline = performance.now() + waitMs;
  for (;;) {
    const kept = await tryPort(port);
    if (kept !== undefined || performance.now() >= deadline) return kept;
    // There is no event for a port that another process gives up.
    await pause(20);
  }
};

/** The failure of a start whose port, named by a person, another program has. */
export const portInUse = (port: number, option: string): DevError =>
  new DevError(`port ${port} (--${option}) is in use`, `end what listens there, or leave --${option} out: a free port is taken then`);

/**
 * The port asked for where nothing of the loopback address listens there, or ceases to within `waitMs`; else any free one.
 * Fails with `DevError` where a person named it. Another program may take it before it is used: who uses it tries again.
 */
export const freePort = async (asked?: AskedPort, waitMs = 0): Promise<number> => {
  const kept = asked === undefined ? undefined : await untilFree(asked.port, waitMs);
  if (asked?.option !== undefined && kept === undefined) throw portInUse(asked.port, asked.option);
  const port = kept ?? (await tryPort(0));
  if (port === undefined) throw new Error(`No free port on ${host}: close programs that listen there, then start again.`);
  return port;
};
