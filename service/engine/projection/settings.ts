import { z } from 'zod';

/** Settings of UMAP: what places the points of a map where one of them, or the model `umap`, is named. */
const ofUmap = {
  n_neighbors: z.int().min(2).max(200).nullish(),
  n_epochs: z.int().min(1).max(5_000).nullish(),
  min_dist: z.number().min(0).nullish(),
  spread: z.number().positive().nullish(),
} as const;

const hosted = z.null('is of the projection of the hosted service, which is not public: leave it out').optional();

/** What `projection_hyperparameters` of an index may hold: the model, and settings that it obeys. */
export const projectionSettings = z
  .strictObject({
    model: z
      .enum(['random', 'umap'], 'is not built by the local service: name "umap" or "random", or leave it out for two principal components')
      .nullish(),
    ...ofUmap,
    local_neighborhood_size: hosted,
    rho: hosted,
  })
  .superRefine((given, context) => {
    const named = namedOf(given);
    if (given.model === 'random' && named.length > 0)
      context.addIssue({ code: 'custom', path: [named[0]!], message: 'places at random have no settings: leave it out' });
    if ((given.min_dist ?? umapDefaults.min_dist) > (given.spread ?? umapDefaults.spread))
      context.addIssue({ code: 'custom', path: ['min_dist'], message: 'is at most `spread`' });
  });

type Given = z.output<typeof projectionSettings>;

const namedOf = (given: Record<string, unknown>): string[] => Object.keys(ofUmap).filter((name) => (given[name] ?? null) !== null);

const umapDefaults = { n_neighbors: 15, n_epochs: null, min_dist: 0.1, spread: 1 } as const;

/** Settings of UMAP, each with its value. */
export type UmapSettings = { n_neighbors: number; n_epochs: number | null; min_dist: number; spread: number };

/** How an index has its points placed by UMAP; null: on two principal components, or at random. `options`: the JSON of its order. */
export const umapSettings = (options: string): UmapSettings | null => {
  const text = (JSON.parse(options) as { projection_hyperparameters?: string | null }).projection_hyperparameters;
  // Orders of before these settings were held to their schema may hold anything, and were placed on principal components.
  const parsed = projectionSettings.safeParse(text ? JSON.parse(text) : {});
  const given: Partial<Given> = parsed.success ? parsed.data : {};
  if (given.model === 'random' || (given.model !== 'umap' && namedOf(given).length === 0)) return null;
  return {
    n_neighbors: given.n_neighbors ?? umapDefaults.n_neighbors,
    n_epochs: given.n_epochs ?? umapDefaults.n_epochs,
    min_dist: given.min_dist ?? umapDefaults.min_dist,
    spread: given.spread ?? umapDefaults.spread,
  };
};
