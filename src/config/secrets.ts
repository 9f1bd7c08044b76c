import { resolve } from 'node:path';
import { type ConfigFiles, readText } from './config-files.js';
import type { SecretRefDto } from './dto/secret-ref.dto.js';
import type { Environment } from './environment.js';
import type { Faults } from './faults.js';

/** Resolves references to secrets once, at load; what cannot be resolved becomes a fault. */
export class SecretReader {
  /**
   * @param folder what a relative `file` starts from: the YAML file's folder.
   * @param notThere what is said of a variable that `environment` does not have.
   */
  constructor(
    private readonly environment: Environment,
    private readonly folder: string,
    private readonly files: ConfigFiles,
    private readonly faults: Faults,
    private readonly notThere = 'is not set',
  ) {}

  /** The secret, or '' with a fault at `place`. A file's last line end is not part of it. */
  read(reference: SecretRefDto | undefined, place: string): string {
    const { env, file } = reference ?? {};
    if ((env === undefined) === (file === undefined)) {
      return this.fail(place, 'must have one of env and file');
    }
    return env === undefined ? this.fromFile(file ?? '', place) : this.fromEnvironment(env, place);
  }

  private fromEnvironment(name: string, place: string): string {
    const value = this.environment[name];
    if (value === undefined || value === '') {
      return this.fail(`${place}.env`, `the environment variable ${name} ${this.notThere}`);
    }
    return value;
  }

  private fromFile(path: string, place: string): string {
    const full = resolve(this.folder, path);
    const content = readText(this.files, full);
    if ('fault' in content) return this.fail(`${place}.file`, content.fault);
    const value = content.text.replace(/\r?\n$/, '');
    return value === '' ? this.fail(`${place}.file`, `${full} is empty`) : value;
  }

  private fail(place: string, text: string): string {
    this.faults.add(place, text);
    return '';
  }
}
