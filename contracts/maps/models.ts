/** Column of a dataset whose rows name blobs of it: images. */
export const blobColumn = '_blob_hash';

/** Names of text models that the public docs list; a vendor's prefix may stand in place of `svc`. */
const textModel =
  /^(?:all-MiniLM-L6-v2|gte-multilingual-base|[a-z]+-embed-(?:text-v1|text-v1\.5|text-v2|code)|[A-Z][a-z]+Embed(?:Multilingual)?)$/;

export const isTextModel = (name: string): boolean => textModel.test(name);

/** Names of models of images (maps text), with a vendor's prefix as those of text. */
const visionModel = /^[a-z]+-embed-vision-v1(?:\.5)?$/;

export const isVisionModel = (name: string): boolean => visionModel.test(name);
