import { installCommand, isInstalled } from '../../../child/inside/documents/optional.ts';
import type { ParseOptions } from '../../../child/documents.ts';
import type { ocrLanguages } from '../../../contracts/parse-options.ts';
import type { HttpError } from '../../core/errors.ts';

/** The language in which characters are recognised; fails by `refuse` where this service knows none of its letters. */
export function languageOf(asked: (typeof ocrLanguages)[number], refuse: (why: string) => HttpError): ParseOptions['language'] {
  if (asked === 'zh_ja_en') throw refuse(`${asked}: not built by the local service, which recognises characters of en and latin`);
  if (asked === 'latin' && !isInstalled('latin')) throw refuse(`${asked}: needs models that are not installed: ${installCommand('latin')}`);
  return asked;
}
