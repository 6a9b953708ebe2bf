import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { Unavailable } from '../../../errors/classes.ts';

/** Packages that a project installs for itself, by what they are needed for. */
export const documentPackages = {
  pdf: ['pdfjs-dist'],
  ocr: ['@napi-rs/canvas', 'tesseract.js', '@tesseract.js-data/eng'],
  latin: ['@tesseract.js-data/deu', '@tesseract.js-data/fra', '@tesseract.js-data/spa'],
} as const;

const { resolve } = createRequire(import.meta.url);

const isThere = (name: string): boolean => {
  try {
    resolve(`${name}/package.json`);
    return true;
  } catch {
    return false;
  }
};

const missingOf = (purpose: keyof typeof documentPackages): string[] => documentPackages[purpose].filter((name) => !isThere(name));

/** How the packages for a purpose are had, where they are missing. */
export const installCommand = (purpose: keyof typeof documentPackages): string => `npm install ${documentPackages[purpose].join(' ')}`;

export const isInstalled = (purpose: keyof typeof documentPackages): boolean => missingOf(purpose).length === 0;

/** Fails with `Unavailable` where a package is missing, and names it. */
export function needPackages(purpose: keyof typeof documentPackages, what: string): void {
  const missing = missingOf(purpose);
  if (missing.length > 0)
    throw new Unavailable('configuration', `${what} needs ${missing.join(', ')}, not installed: ${installCommand(purpose)}`);
}

/** The folder of a package that is installed. */
export const folderOf = (name: string): string => dirname(resolve(`${name}/package.json`));
