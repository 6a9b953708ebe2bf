import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { openRecords } from '../../service/core/records/database.ts';
import { issueKey } from '../../service/core/records/keys.ts';
import { line, type Proof } from './proof.ts';
import { residentMb } from './support-memory.ts';
import { createOwnService, type OwnService } from './support-service.ts';

const count = 100_000;
/** Memory for JavaScript values in which the list is to be read: all keys at once need more. */
const heapMb = 48;
/** By so much the service may be larger after it has given all of them out than after a tenth. */
const growthMb = 64;

const lister = fileURLToPath(new URL('support-key-lister.ts', import.meta.url));

type Listed = { count: number; mb: number };

/** Lists the keys in a process of little memory; undefined where it ended before it was through. */
async function list({ url, adminKeys }: OwnService, how: 'pass' | 'gather'): Promise<Listed | undefined> {
  const args = [`--max-old-space-size=${heapMb}`, '--disable-warning=ExperimentalWarning', lister, url, adminKeys.instance, how];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'ignore'] });
  const [said, [code]] = await Promise.all([text(child.stdout), once(child, 'close')]);
  return code === 0 ? (JSON.parse(said) as Listed) : undefined;
}

/** Makes keys in the records of a service that is stopped: one by one over HTTP they would take longer than all else. */
async function makeKeys(service: OwnService, more: number): Promise<void> {
  await service.kill();
  const records = openRecords(join(service.data, 'records.sqlite'));
  const { userId, organizationId } = records.get<{ userId: string; organizationId: string }>(
    "SELECT user_id AS userId, organization_id AS organizationId FROM keys WHERE service = 'instance' LIMIT 1",
  )!;
  records.transaction(() => {
    for (let at = 0; at < more; at += 1)
      issueKey(records, { service: 'instance', userId, organizationId, name: `key ${at}`, scopes: ['developer'] });
  });
  records.close();
  await service.start();
}

export const proof: Proof = {
  name: 'many-keys',
  sets: ['maps'],
  what: `${count} keys listed page by page in ${heapMb} MB, by client and service`,
  async run({ note }) {
    await using service = await createOwnService();
    await makeKeys(service, count / 10);
    const few = await list(service, 'pass');
    const small = await residentMb(service.pid);
    await makeKeys(service, count - count / 10);
    const began = performance.now();
    const all = await list(service, 'pass');
    note(`${all?.count} keys in ${((performance.now() - began) / 1_000).toFixed(1)} s`);
    const large = await residentMb(service.pid);
    const gathered = await list(service, 'gather');
    return [
      // One more: that of the service itself.
      line(
        `keys listed in ${heapMb} MB of values, a tenth and all`,
        `${few?.count ?? 'out of memory'} (${few?.mb} MB resident), ${all?.count ?? 'out of memory'} (${all?.mb} MB)`,
        `${count / 10 + 1}, ${count + 1}`,
        few?.count === count / 10 + 1 && all?.count === count + 1,
      ),
      line(
        'the service, after a tenth and after all',
        `${Math.round(small)} MB, ${Math.round(large)} MB`,
        `+${growthMb} MB at most`,
        large - small <= growthMb,
      ),
      line(
        'control, a client that keeps them all in the same memory',
        gathered === undefined ? 'out of memory' : `${gathered.count} keys`,
        'out of memory',
        gathered === undefined,
      ),
    ];
  },
};
