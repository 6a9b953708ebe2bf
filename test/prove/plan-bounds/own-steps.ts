import { serve } from '../../support/serve.ts';

const index = new URL('../../../index.ts', import.meta.url).href;

/** Steps of a user's own: one that reads so many times, one that charges each item, with a read of the API beside it. */
export const ownSteps: Readonly<Record<string, string>> = {
  'look.mts': `import { defineStep, z } from ${JSON.stringify(index)};
export default defineStep({
  name: 'prove.look',
  input: z.strictObject({ dataset: z.string(), times: z.int() }),
  output: z.object({ rows: z.int() }),
  effect: 'safe',
  operations: { 'maps.projects.get': 3, 'maps.user.get': 1 },
  async run({ dataset, times }, { maps }) {
    let rows = 0;
    for (let at = 0; at < times; at++) rows = (await maps.projects.get({ project_id: dataset })).total_datums_in_project;
    return { rows };
  },
});
`,
  'charge.mts': `import { defineSweep, z } from ${JSON.stringify(index)};
export default defineSweep({
  name: 'prove.charge',
  input: z.strictObject({ url: z.string(), count: z.int() }),
  effect: 'never',
  acts: { charge: 'perItem' },
  operations: { 'maps.user.get': 'perItem' },
  *items({ url, count }) {
    for (let id = 0; id < count; id++) yield { id: String(id), url };
  },
  async each({ id, url }, { fetch, maps }) {
    if (Number(id) % 2 === 0) await maps.user.get({});
    await fetch(url, { method: 'POST', body: id });
  },
});
`,
};

/** A service of a user's own that counts what it is asked to charge. */
export async function createTill() {
  let charged = 0;
  const service = await serve((request, response) => {
    charged++;
    request.resume().on('end', () => response.end('{}'));
  });
  return { ...service, charged: () => charged };
}
