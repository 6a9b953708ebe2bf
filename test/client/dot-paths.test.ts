import { expect, test } from 'vitest';
import { createClient } from '../../client/create-client.ts';
import { createPermits } from '../../client/permits.ts';

test.each(['.', '..'])('the slug %j is refused before anything is sent: the address of another operation would be asked', async (slug) => {
  let sent = 0;
  const api = createClient('maps', { baseUrl: 'http://127.0.0.1:9', token: 'nk-key', permits: createPermits(), onSent: () => sent++ });
  await expect(api.projects.bySlug({ organization_slug: 'acme', project_slug: slug })).rejects.toMatchObject({
    name: 'ContractError',
    message: expect.stringContaining(`project_slug is '${slug}', which names nothing in an address`),
  });
  expect(sent).toBe(0);
});
