import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

// The baseline of requests: a bare node:http server that reads each body whole and answers the same bytes, by method.

const answers = JSON.parse(process.argv[2]!) as { [method: string]: string };

const server = createServer((request, response) => {
  request.on('data', () => undefined);
  request.on('end', () => {
    const body = answers[request.method!] ?? '';
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }).end(body);
  });
});
server.keepAliveTimeout = 30_000;
server.listen(0, '127.0.0.1', () => process.send?.({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }));
process.on('disconnect', () => process.exit(0));
