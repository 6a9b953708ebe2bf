import { extname } from 'node:path';
import { distance } from '../../text/nearest.ts';

/** A YAML file may be anything: a pipeline is one that has steps. */
const hasSteps = /^(?:steps|["']steps["'])\s*:/m;

const hasUse = /\buse["']?\s*:/;

/** Keys of a YAML text below which something stands. */
const above = /^["']?(\w+)["']?[ \t]*:[ \t]*(?:[{#].*)?$/gm;

/** Files of other tools have names and keys too: one is meant where a letter is wrong, and below it something is used. */
const nearSteps = (key: string): boolean => distance(key.toLowerCase(), 'steps') === 1;

const inYaml = (text: string): boolean =>
  hasSteps.test(text) ||
  (/^["']?name["']?\s*:/m.test(text) && hasUse.test(text) && [...text.matchAll(above)].some(([, key]) => nearSteps(key!)));

/** Rows of data are JSON too: in steps something is used. */
function inJson(text: string): boolean {
  if (!hasUse.test(text)) return false;
  try {
    const value = JSON.parse(text) as { [key: string]: unknown };
    const of = (key: string): boolean => typeof value[key] === 'object' && value[key] !== null && !Array.isArray(value[key]);
    return of('steps') || (Object.hasOwn(value, 'name') && Object.keys(value).some((key) => nearSteps(key) && of(key)));
  } catch {
    return /["']steps["']\s*:\s*\{/.test(text);
  }
}

const inModule = (text: string): boolean => /^export\s+default\b/m.test(text) && /\bdefinePipeline\s*\(/.test(text);

/** Whether a file is meant for a pipeline, by its name and by its text, read as UTF-8 whatever it is. */
export function isPipeline(name: string, text: string): boolean {
  // Of UTF-16 the letters are left: what is wrong with it is said where it is checked.
  const letters = text.replaceAll(/[\0\ufffd\ufeff]/g, '');
  const ending = extname(name);
  return ending === '.json' ? inJson(letters) : ending === '.mts' ? inModule(letters) : inYaml(letters);
}
