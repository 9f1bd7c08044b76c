import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from './free-port.js';
import type { Gateway } from './gateway.js';
import { OwnedProcess } from './owned-process.js';
import { eventually } from './wait.js';

const CONF = join(import.meta.dirname, '../../docker/nginx.conf');

/** A real nginx with the documented configuration, in front of two gateways. */
export class Nginx {
  private constructor(
    readonly url: string,
    private readonly dir: string,
    private readonly child: OwnedProcess,
  ) {}

  static async start([one, two]: readonly [Gateway, Gateway]): Promise<Nginx> {
    const dir = await mkdtemp(join(tmpdir(), 'nightjar-nginx-'));
    const address = `127.0.0.1:${await freePort()}`;
    const conf = join(dir, 'nginx.conf');
    const documented = await readFile(CONF, 'utf8');
    await writeFile(
      conf,
      documented
        .replaceAll('gateway-1:17000', new URL(one.baseUrl).host)
        .replaceAll('gateway-2:17000', new URL(two.baseUrl).host)
        .replaceAll('listen 8080', `listen ${address}`)
        .replaceAll('/tmp/nginx', join(dir, 'nginx')),
    );
    const args = ['-p', dir, '-c', conf, '-g', 'daemon off; master_process off;'];
    const child = await OwnedProcess.start('nginx', args, { cwd: dir });
    const nginx = new Nginx(`http://${address}`, dir, child);
    try {
      await eventually('nginx is ready', async () => {
        if (child.exitCode !== undefined) throw new Error(`nginx ended: ${child.logs}`);
        return (await fetch(`${nginx.url}/.well-known/agent-card.json`)).ok;
      });
    } catch (error) {
      await nginx.stop();
      throw error;
    }
    return nginx;
  }

  async stop(): Promise<void> {
    await this.child.kill9();
    await rm(this.dir, { recursive: true, force: true });
  }
}
