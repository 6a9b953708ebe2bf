/** A file with an own step that cannot be used. */
export class OwnStepError extends Error {
  override readonly name = 'OwnStepError';
  readonly file: string;
  readonly remedy: string | undefined;
  /** `at`: `file:line`, `file:line:column`, in this file or in one that it imports. */
  constructor(file: string, problem: string, { remedy, at }: { remedy?: string; at?: string } = {}) {
    const within = at?.startsWith(`${file}:`) ?? false;
    super(`${within ? at : file}: ${problem}${at === undefined || within ? '' : ` (${at})`}${remedy === undefined ? '' : `; ${remedy}`}`);
    this.file = file;
    this.remedy = remedy;
  }
}
