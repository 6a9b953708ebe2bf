import { createServer } from 'node:net';

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

/** The preferred port of the loopback address where it is free, else any free one. */
export const freePort = async (preferred?: number): Promise<number> => {
  const kept = preferred === undefined ? undefined : await tryPort(preferred);
  const port = kept ?? (await tryPort(0));
  if (port === undefined) throw new Error(`No free port on ${host}: close programs that listen there, then start again.`);
  return port;
};
