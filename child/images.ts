/** Formats that are decoded (maps text, Limits). */
export const imageFormats = ['png', 'jpeg', 'webp'] as const;
export type ImageFormat = (typeof imageFormats)[number];

/** An image as bytes, or as the path of a file. */
export type ImageSource = Uint8Array | string;

/** Numbers of the visual part of a description. */
export const VISUAL = 512;

/** What an image looks like. */
export type Described = {
  format: ImageFormat;
  /** In pixels, upright. */
  width: number;
  height: number;
  /** Colour, edges and texture as a unit vector of `VISUAL` numbers, from the decoded pixels; of an image without any contrast or colour as short as it is. */
  visual: Float32Array;
  /** Shares of the image by basic colours; together 1. */
  colours: Readonly<Record<string, number>>;
};

/** An image made smaller for sending. */
export type Shrunk = { jpeg: Uint8Array; width: number; height: number };

type CallOptions = { signal?: AbortSignal | undefined };

/** Images are decoded in a child process with memory and time watchdogs: one that is broken or too large ends in a `BadInput` verdict here. */
export type Images = {
  /** `name`: how messages call it. */
  describe(name: string, image: ImageSource, options?: CallOptions): Promise<Described>;
  /** As JPEG, upright, on white, no side longer than `side` pixels. Equal bytes become equal bytes. */
  shrink(name: string, image: ImageSource, side: number, options?: CallOptions): Promise<Shrunk>;
  close(): Promise<void>;
};
