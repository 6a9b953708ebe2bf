import { z } from 'zod';

const topics = z.strictObject({
  build_topic_model: z.boolean().nullish(),
  /** The column whose texts the topics are named by. */
  community_description_target_field: z.string().nullish(),
  /** There is one way, which every method that clients name stands for. */
  cluster_method: z.enum(['fast']).nullish(),
  /** Topics of a depth always lie within those of the depth above it: `false`, which public clients send, asks for nothing. */
  enforce_topic_hierarchy: z.boolean().nullish(),
});

const duplicates = z.strictObject({
  tag_duplicates: z.boolean().nullish(),
  /** Largest cosine distance of two points that are duplicates. */
  duplicate_cutoff: z.number().min(0).max(2).nullish(),
});

/** What an index may be asked to give its points beside their places, by the field of the order. */
export const labelOptions = { topic_model_hyperparameters: topics, duplicate_detection_hyperparameters: duplicates } as const;

/** The options of an index as they were ordered. */
type Ordered = { [F in keyof typeof labelOptions]?: string | null };

export type WantedLabels = { topics: { field: string | null } | null; duplicates: { cutoff: number } | null };

const guessedCutoff = 0.1;

/** What the points of an index are to be given; `options` is the JSON of its order. */
export const wantedLabels = ({ options }: { options: string }): WantedLabels => {
  const ordered = JSON.parse(options) as Ordered;
  // Orders of before these options were held to their schemas may hold anything.
  const read = <S extends z.ZodType>(schema: S, text: string | null | undefined) => {
    const parsed = schema.safeParse(text ? JSON.parse(text) : {});
    return parsed.success ? parsed.data : undefined;
  };
  const topic = read(topics, ordered.topic_model_hyperparameters);
  const duplicate = read(duplicates, ordered.duplicate_detection_hyperparameters);
  return {
    topics: topic?.build_topic_model ? { field: topic.community_description_target_field ?? null } : null,
    duplicates: duplicate?.tag_duplicates ? { cutoff: duplicate.duplicate_cutoff ?? guessedCutoff } : null,
  };
};
