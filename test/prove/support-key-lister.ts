// Lists the keys of an organization by the product's client, page by page; with `gather` it keeps them all, as a careless client would.
import { createCalls } from '../../client/invoke.ts';
import { createPermits } from '../../client/permits.ts';

const [baseUrl, token, how] = process.argv.slice(2) as [string, string, 'pass' | 'gather'];
const { pages } = createCalls(() => ({ baseUrl, token, permits: createPermits() }));
const kept: unknown[] = [];
let count = 0;
for await (const { data } of pages('instance.apiKeys.list', { limit: 1_000 })) {
  count += data.length;
  if (how === 'gather') kept.push(...data.map((each) => structuredClone(each)));
}
process.stdout.write(JSON.stringify({ count, kept: kept.length, mb: Math.round(process.resourceUsage().maxRSS / 1024) }));
