/** What documents of a service are held to. One object: a value changed in it holds from the next request on. */
export type DocumentSettings = {
  /** Seconds that the URL of an upload or of a result is accepted after it was made. @default 3600 (assumption) */
  urlSeconds: number;
  /** Seconds after which an uploaded file is dropped, unless a task still waits for it. @default 86400 (assumption) */
  fileSeconds: number;
  /** Seconds after which a task that has ended is forgotten with its result. @default 604800 (assumption) */
  taskSeconds: number;
};

export const defaultDocumentSettings: Readonly<DocumentSettings> = { urlSeconds: 3_600, fileSeconds: 86_400, taskSeconds: 604_800 };
