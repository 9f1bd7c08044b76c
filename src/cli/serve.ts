import { type Command, InvalidArgumentError, Option } from 'commander';
import type { GatewayConfig } from '../config/config.types.js';
import { Launcher } from './launch/launcher.js';
import { httpOrigin, reachable } from './launch/ports.js';
import { type LaunchPlan, planLaunch, type ServeOptions } from './launch/plan.js';

const MAX_INSTANCES = 16;
const KILLED_MS = 2000;

/** Adds `nightjar serve`, which is what `make run` runs. */
export function registerServe(program: Command): void {
  program
    .command('serve')
    .description('start gateways, and a private Redis when REDIS_URL names none')
    .addOption(
      new Option('--instances <number>', 'gateways on PORT, PORT + 1, …')
        .env('INSTANCES')
        .default(1)
        .argParser(instanceCount),
    )
    .option('--config <file>', 'YAML file; NIGHTJAR_CONFIG is taken otherwise')
    .option('--demo', 'demo tenant and token also with a Redis of yours')
    .option('--no-demo', 'neither, also with the embedded Redis')
    .action(async (_flags: unknown, command: Command) => {
      const { instances, config, demo } = command.opts<ServeOptions>();
      process.exitCode = await serve({ instances, config, demo }, process.env);
    });
}

/** Runs until a signal, or until what it started has ended. @returns the exit code. */
async function serve(options: ServeOptions, env: NodeJS.ProcessEnv): Promise<number> {
  const plan = planLaunch(options, env);
  const launcher = new Launcher(plan, (line) => process.stderr.write(`nightjar: ${line}\n`));
  const signalled = stopOnSignal(launcher);
  try {
    const started = launcher.start();
    const first = await Promise.race([started.then(() => undefined), signalled]);
    if (first !== undefined) {
      // It fails now that its gateways are being stopped; the signal is the reason, not that.
      await started.catch(() => undefined);
      launcher.kill();
      return first;
    }
    process.stdout.write(announcement(plan, launcher.urls));
    const code = await Promise.race([launcher.watch(), signalled]);
    await launcher.stop();
    return code;
  } catch (error) {
    launcher.kill();
    await launcher.stop();
    throw error;
  }
}

/** The first signal stops in order, the second at once. Resolves to the exit code. */
function stopOnSignal(launcher: Launcher): Promise<number> {
  let signals = 0;
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
      process.on(signal, () => {
        signals += 1;
        if (signals === 1) {
          process.stderr.write('nightjar: stopping (once more stops at once)\n');
          void launcher.stop().then(() => {
            resolve(0);
          });
          return;
        }
        launcher.kill();
        setTimeout(() => process.exit(130), KILLED_MS).unref();
      });
    }
  });
}

function announcement(plan: LaunchPlan, urls: readonly string[]): string {
  const lines = urls.map((url) => `nightjar listening on ${url}`);
  if (plan.demoToken !== undefined) {
    lines.push(
      `demo token: ${plan.demoToken}`,
      '',
      'Try it:',
      ...tryIt(plan.config, urls[0] ?? '', plan.demoToken),
    );
  }
  if (plan.adminToken !== undefined) {
    const { host, port } = plan.config.management;
    const url = httpOrigin(reachable(host), port);
    lines.push('', `admin API: ${url}/admin/v1`, `admin token: ${plan.adminToken}`);
  }
  if (plan.embedded) {
    lines.push('', 'Redis is embedded: tasks and tokens are lost when this process ends.');
  }
  return `${lines.join('\n')}\n`;
}

function tryIt({ auth, a2a }: GatewayConfig, url: string, token: string): string[] {
  if (!a2a.enabled) return ['  (a2a.enabled is false: there is no surface to call)'];
  const message =
    '{"message":{"messageId":"m1","role":"ROLE_USER","parts":[{"text":"what is firing?"}]}}';
  return [
    `  curl -sS ${url}/a2a/message:send \\`,
    `    -H '${auth.headerName}: ${token}' -H 'Content-Type: application/json' \\`,
    `    -d '${message}'`,
  ];
}

function instanceCount(text: string): number {
  const count = Number(text);
  if (Number.isInteger(count) && count >= 1 && count <= MAX_INSTANCES) return count;
  throw new InvalidArgumentError(`It must be a whole number, 1 to ${MAX_INSTANCES}.`);
}
