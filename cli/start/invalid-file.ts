import { remedied } from '../../pipelines/file/finding-codes.ts';
import type { Finding } from '../../pipelines/file/findings.ts';
import { UsageError } from '../frame/errors.ts';
import { renderFindings } from '../render/findings.ts';
import type { Look } from '../render/look.ts';

/** A pipeline file that cannot run, with every finding. Exit code 2. */
export class InvalidFile extends UsageError {
  readonly file: string;
  readonly findings: readonly Finding[];
  constructor(file: string, findings: readonly Finding[]) {
    super(`${file} cannot run\n${renderFindings(file, findings.map(remedied))}`);
    this.file = file;
    this.findings = findings.map(remedied);
  }

  override shown(look: Look): string {
    return `${this.file} cannot run\n${renderFindings(this.file, this.findings, look)}`;
  }
}
