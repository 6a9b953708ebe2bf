import type { ocrLanguages } from '../../../contracts/parse-options.ts';

type Language = (typeof ocrLanguages)[number];

/** Why characters of a language are not recognised here; undefined where they are. */
export const languageFault = (language: Language): string | undefined =>
  language === 'en' ? undefined : `${language}: not built by the local service, which recognises characters of en`;
