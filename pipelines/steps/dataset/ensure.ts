import { z } from 'zod';
import { slugPattern, slugRule } from '../../../text/slug.ts';
import { pagesOf } from '../../../contracts/maps/projects.ts';
import { define, type DatasetFacts, type PlannedCalls } from '../../step.ts';
import { short } from '../timeouts.ts';
import { datasetId } from '../ids.ts';

/** Slug as the service keeps it: lower case letters, digits and hyphens. */
export const slug = z.string().regex(slugPattern, `a slug: ${slugRule}`);

export const definition = define({
  name: 'dataset.ensure',
  summary: 'Find a dataset by its slug, or create it.',
  kind: 'call',
  effect: 'reconcile',
  operations: [
    'maps.user.get',
    'maps.projects.bySlug',
    'maps.projects.list',
    'maps.organizations.get',
    'maps.projects.create',
    'maps.projects.get',
  ],
  timeouts: short,
  input: z.strictObject({
    slug: slug.describe('Slug of the dataset in its organization.'),
    description: z.string().optional().describe('Shown on the dataset; used only when it is created.'),
    idField: z.string().min(1).max(64).default('id').describe('Name of the column that holds the unique id; used only when it is created.'),
    public: z.boolean().default(false).describe('Readable by everyone; used only when it is created.'),
  }),
  output: z.object({
    id: datasetId.given,
    slug: z.string(),
    created: z.boolean().describe('False where it was there already.'),
    rows: z.int().describe('Rows that it holds.'),
    idField: z.string(),
    url: z.string(),
  }),
  concurrency: (input) => input?.slug,
  forecast: (input, { dataset }) => {
    const makes = isMade(dataset);
    return {
      does: `${dataset?.exists ? 'find' : makes ? 'create' : 'find or create'} dataset "${input?.slug ?? '…'}"`,
      calls: [
        { operation: 'maps.user.get', min: 1, max: 1 },
        { operation: 'maps.projects.bySlug', min: 1, max: 1 },
        { operation: 'maps.projects.create', min: makes ? 1 : 0, max: dataset?.exists ? 0 : 1 },
        { operation: 'maps.projects.list', min: makes ? 2 : 0, max: dataset?.exists ? 0 : 2 },
        pagesRead(dataset),
        { operation: 'maps.projects.get', min: makes ? 2 : 0, max: dataset?.exists ? 0 : 2 },
      ],
    };
  },
  example: { slug: 'movies' },
});

/** The dataset is not there, and nobody else in the run can have made it. */
const isMade = (dataset: DatasetFacts | undefined): boolean => dataset?.exists === false && !dataset.madeBefore;

/** The datasets of the organization are read before a dataset is made, and after it: one call a page. */
function pagesRead(dataset: DatasetFacts | undefined): PlannedCalls {
  const operation = 'maps.organizations.get';
  if (dataset?.exists) return { operation, min: 0, max: 0 };
  if (!dataset?.beside)
    return {
      operation,
      min: isMade(dataset) ? 2 : 0,
      max: null,
      because: 'how many datasets the organization has is known only by asking',
    };
  const { there, made } = dataset.beside;
  return {
    operation,
    min: isMade(dataset) ? pagesOf(there) + pagesOf(there + 1) : 0,
    max: pagesOf(there + made - 1) + pagesOf(there + made),
    because: 'more where others make datasets meanwhile',
  };
}
