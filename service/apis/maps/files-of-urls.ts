import pLimit from 'p-limit';
import { imageLimits } from '../../../child/image-limits.ts';
import { NotFetched } from '../../../errors/classes.ts';
import { HttpError } from '../../core/errors.ts';
import { fetchedAtOnce, type Outside } from '../../engine/outside.ts';
import { MAX_BODY_BYTES } from '../../http/body.ts';

/**
 * The files of URLs in their order, null where one cannot be had. 413 where they are more together than a form may hold: nobody fills the
 * memory of the service by naming what it fetches. Whoever asked learns nothing of why there is a null, or URLs would try out a network;
 * who runs the service reads it in its log.
 */
export async function filesOfUrls(outside: Outside, urls: readonly string[]): Promise<(Blob | null)[]> {
  const limited = pLimit(fetchedAtOnce);
  const reasons: string[] = [];
  let bytes = 0;
  const tooLarge = (): HttpError =>
    new HttpError(413, `the files of urls are above ${MAX_BODY_BYTES} bytes together: name fewer of them in one call`);
  const file = async (url: string, at: number): Promise<Blob | null> => {
    if (bytes > MAX_BODY_BYTES) throw tooLarge();
    try {
      const content = await outside.fetch(url, imageLimits.fileBytes);
      bytes += content.byteLength;
      if (bytes > MAX_BODY_BYTES) throw tooLarge();
      return new Blob([content]);
    } catch (error) {
      if (!(error instanceof NotFetched)) throw error;
      reasons.push(`urls[${at}]: ${error.message}; ${error.remedy}`);
      return null;
    }
  };
  const files = await Promise.all(urls.map((url, at) => limited(() => file(url, at))));
  if (reasons.length > 0)
    process.stderr.write(`blobs.add: ${reasons.length} of ${urls.length} urls were not fetched, such as ${reasons[0]!.slice(0, 500)}\n`);
  return files;
}
