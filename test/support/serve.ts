import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A service of one's own on this machine. At its end open connections are cut. */
export async function serve(listener: RequestListener): Promise<{ url: string } & AsyncDisposable> {
  const server = createServer(listener);
  // One that is closed for being idle just as a request is sent on it is a lost answer, which nobody here asks for.
  server.keepAliveTimeout = 600_000;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
