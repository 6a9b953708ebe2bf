import type { Finding, Path } from '../file/findings.ts';
import { findingAt, type Checks } from './place.ts';

const reference = /^(?:(params)\.([A-Za-z]\w*)|(steps)\.([A-Za-z]\w*)(?:\.\w+)+)$/;

function* textsIn(value: unknown, path: Path): Generator<{ text: string; path: Path }> {
  if (typeof value === 'string') yield { text: value, path };
  else if (Array.isArray(value)) for (const [index, item] of value.entries()) yield* textsIn(item, [...path, index]);
  else if (value !== null && typeof value === 'object')
    for (const [key, member] of Object.entries(value)) yield* textsIn(member, [...path, key]);
}

/** Texts that are the name of a parameter or an output of this file, and nothing else: an expression without its braces. */
export function checkPlainTexts(value: unknown, base: Path, { names, locate }: Checks): Finding[] {
  return [...textsIn(value, base)].flatMap(({ text, path }): Finding[] => {
    const [, , param, , step] = reference.exec(text) ?? [];
    if (!(param !== undefined && names.params.has(param)) && !(step !== undefined && names.steps.has(step))) return [];
    const message = `this is the text "${text}"; an expression stands in \${{ }}`;
    return [
      findingAt({ text, path }, locate, { code: 'no-braces', message, offset: 0, by: `\${{ ${text} }}`, remedy: `write \${{ ${text} }}` }),
    ];
  });
}
