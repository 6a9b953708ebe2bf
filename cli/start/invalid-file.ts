import { remedied } from '../../pipelines/file/finding-codes.ts';
import type { Finding } from '../../pipelines/file/findings.ts';
import { counted } from '../../text/units.ts';
import { UsageError } from '../frame/errors.ts';
import { renderFindings } from '../render/findings.ts';
import type { Look } from '../render/look.ts';

/** A pipeline file that cannot run, with every finding. Exit code 2. `about`: which of several parameter sets it is compiled for. */
export class InvalidFile extends UsageError {
  readonly file: string;
  readonly findings: readonly Finding[];
  readonly about: string;
  constructor(file: string, findings: readonly Finding[], about = '') {
    const shown = findings.map(remedied);
    super(`${about}${file} cannot run\n${renderFindings(file, shown)}`);
    this.file = file;
    this.findings = shown;
    this.about = about;
  }

  override facts() {
    const { file, findings, about } = this;
    return { message: `${about}${file} cannot run: ${counted(findings.length, 'finding')}`, file, findings };
  }

  override shown(look: Look): string {
    return `${this.about}${this.file} cannot run\n${renderFindings(this.file, this.findings, look)}`;
  }
}
