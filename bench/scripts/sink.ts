import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { scriptInput } from '../support-process.ts';

// A receiver for measuring what a sender costs: it answers at once and keeps nothing. No service, and not meant to be one.
const { rows } = scriptInput<{ rows: number }>();
const seen = new Set<string>();
const server = createServer((request, response) => {
  const reply = (value: unknown): void => void response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(value));
  request.resume();
  request.once('end', () => {
    if (request.method === 'POST') return reply({ result: 'ok' });
    // A dataset is empty when it is first looked at, and has all rows afterwards.
    const id = request.url!.split('/').at(-1)!;
    reply({ id, owner: 'sink', project_name: id, slug: id, unique_id_field: 'id', total_datums_in_project: seen.has(id) ? rows : 0 });
    seen.add(id);
  });
});
server.listen(0, '127.0.0.1', () => process.send!({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }));
process.once('disconnect', () => process.exit(0));
