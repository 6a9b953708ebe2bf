import { createRequire } from 'node:module';

/** How the package that decodes images is had; a project installs it for itself. */
export const installImagePackage = 'npm install sharp';

export const isImagePackageHere = (): boolean => {
  try {
    createRequire(import.meta.url).resolve('sharp');
    return true;
  } catch {
    return false;
  }
};
