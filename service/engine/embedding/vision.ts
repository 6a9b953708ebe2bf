import { isImagePackageHere, installImagePackage } from '../../../child/image-package.ts';
import type { Images, ImageSource } from '../../../child/images.ts';
import { notHere } from '../../core/errors.ts';
import { imageVector } from './image-vector.ts';

/** Embeds images from their pixels. */
export type Vision = {
  /** The unit vector of one image, 768 numbers. `BadInput` where it cannot be decoded, 501 where the package that decodes is missing. */
  embed(name: string, image: ImageSource, model: string): Promise<Float32Array>;
};

export const createVision = (images: Images): Vision => ({
  async embed(name, image, model) {
    if (!isImagePackageHere()) throw notHere(`images are decoded by a package that is missing (sharp): ${installImagePackage}`);
    return imageVector(await images.describe(name, image), model);
  },
});
