import { childLimits } from '../child-limits.ts';
import { imageLimits } from '../image-limits.ts';
import type { Images } from '../images.ts';
import { createRequests } from './requests.ts';

export type ImagesOptions = { children?: number; memoryMb?: number; seconds?: number; tempDir?: string };

/** Images decoded in a pool of child processes: what one does to its process ends in a verdict on that image. */
export function createImages({
  children = imageLimits.children,
  memoryMb = imageLimits.memoryMb,
  seconds = imageLimits.seconds,
  tempDir,
}: ImagesOptions = {}): Images {
  const { requestsPerChild, idleSeconds, tempGiB } = childLimits;
  const requests = createRequests({ children, memoryMb, requestsPerChild: requestsPerChild * 10, idleSeconds, tempGiB, tempDir });
  const timeMs = (): number => seconds * 1_000;
  return {
    describe: (name, image, options) => requests.call('describeImage', { name, image }, { ...options, subject: name, timeMs }),
    shrink: (name, image, side, options) => requests.call('shrinkImage', { name, image, side }, { ...options, subject: name, timeMs }),
    close: () => requests.close(),
  };
}
