import type { Described } from '../../../child/images.ts';
import { VISUAL } from '../../../child/images.ts';
import { CONTENT, DIMENSIONS, writeVector } from './layout.ts';
import type { Task } from './layout.ts';
import { addLexical } from './lexical.ts';
import { textModelOf } from './models.ts';

/** Tokens of an image: it is read as patches of 16 × 16 of 128 × 128 pixels (assumption: the text does not say what a token of one is). */
export const IMAGE_TOKENS = 64;

/** The part of a vector that texts have their words in, behind what they mean. */
const WORDS = CONTENT - VISUAL;

/** Squared share of words, the one that they have in vectors of texts. */
const WORDS_SHARE = 0.1;

/** What a colour is called by those who search for it. */
const spelt: Readonly<Record<string, string>> = { grey: 'grey gray', purple: 'purple violet', black: 'black dark', white: 'white light' };

const addWeighted = (words: Float32Array, text: string, weight: number): void => {
  const part = new Float32Array(WORDS);
  addLexical(text, part, 0, WORDS);
  for (let i = 0; i < WORDS; i++) words[i]! += part[i]! * weight;
};

/**
 * The vector of an image. What it looks like stands where a text has its meaning, and the names of its colours stand where a text has its
 * words: so a text that names colours finds images, by the model of text that shares their space. Of what an image shows it knows nothing.
 */
export const imageVector = ({ visual, colours }: Described, model: string): Float32Array => {
  const content = new Float32Array(CONTENT);
  for (let i = 0; i < VISUAL; i++) content[i] = visual[i]! * Math.sqrt(1 - WORDS_SHARE);
  const words = content.subarray(VISUAL);
  for (const [name, share] of Object.entries(colours)) addWeighted(words, spelt[name] ?? name, Math.sqrt(share));
  const length = Math.hypot(...words);
  for (let i = 0; i < WORDS; i++) words[i]! *= Math.sqrt(WORDS_SHARE) / length;
  const vector = new Float32Array(DIMENSIONS);
  writeVector(content, 'search_document', textModelOf(model), vector, 0);
  return vector;
};

/** Texts that search images: their words alone, because nothing of what they mean is in an image's vector. */
export const wordsVectors = (texts: readonly string[], task: Task, model: string): Float32Array => {
  const vectors = new Float32Array(texts.length * DIMENSIONS);
  for (const [i, text] of texts.entries()) {
    const content = new Float32Array(CONTENT);
    addLexical(text, content, VISUAL, WORDS);
    writeVector(content, task, textModelOf(model), vectors, i * DIMENSIONS);
  }
  return vectors;
};
