import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { scriptInput } from '../support-process.ts';

// Takes POSTs and answers each after so many milliseconds.
const { ms } = scriptInput<{ ms: number }>();
const server = createServer((request, response) => {
  request.resume();
  request.once('end', () => setTimeout(() => response.writeHead(200, { 'content-type': 'application/json' }).end('{"ok":true}'), ms));
});
server.listen(0, '127.0.0.1', () => process.send!({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }));
process.once('disconnect', () => process.exit(0));
