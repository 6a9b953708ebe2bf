import { notHere } from '../../core/errors.ts';
import { installCommand, missingPackages } from './packages.ts';
import { wordsVectors } from './image-vector.ts';
import { isVisionModel } from '../../../contracts/maps/models.ts';
import { DIMENSIONS } from './layout.ts';
import { createOpenaiEmbedder } from './openai.ts';
import type { OpenaiOptions } from './openai.ts';
import { createPool } from './pool.ts';
import type { Embedder } from './embedder.ts';

export type EmbedderOptions = { provider: 'semantic' | 'lexical'; threads?: number } | OpenaiOptions;

/** 501 where they are missing: asking again changes nothing until they are installed. */
const requirePackages = (): void => {
  const missing = missingPackages();
  if (missing.length > 0)
    throw notHere(
      `embedding provider "semantic" needs packages that are missing (${missing.join(', ')}): ${installCommand}; or use the provider "lexical", which compares words instead of meaning`,
    );
};

const names = {
  semantic: 'semantic (sentence encoder, 512 of meaning + 252 of words)',
  lexical: 'lexical (hashed words and letter groups; no meaning)',
} as const;

/**
 * Creates an embedder. Threads start with the first text; that is also where missing packages of the sentence encoder are said. Texts that
 * search images have their words alone.
 */
export const createEmbedder = (options: EmbedderOptions): Embedder => {
  const texts = createTextEmbedder(options);
  return {
    ...texts,
    embed: async (given, task, model, longestWaitMs) =>
      isVisionModel(model) ? wordsVectors(given, task, model) : texts.embed(given, task, model, longestWaitMs),
  };
};

const createTextEmbedder = (options: EmbedderOptions): Embedder => {
  if (options.provider === 'openai') return createOpenaiEmbedder(options);
  const pool = createPool(options.provider, Math.max(1, options.threads ?? 1));
  return {
    name: names[options.provider],
    dimensions: DIMENSIONS,
    ...pool,
    embed: async (texts, task, model) => {
      if (options.provider === 'semantic') requirePackages();
      return pool.embed(texts, task, model);
    },
  };
};
