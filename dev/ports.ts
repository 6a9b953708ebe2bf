import { createServer } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

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

/** The preferred port of the loopback address where it is free, or becomes so within `waitMs`; else any free one. */
export const freePort = async (preferred?: number, waitMs = 0): Promise<number> => {
  const kept = preferred === undefined ? undefined : await untilFree(preferred, waitMs);
  const port = kept ?? (await tryPort(0));
  if (port === undefined) throw new Error(`No free port on ${host}: close programs that listen there, then start again.`);
  return port;
};
