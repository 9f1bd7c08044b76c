import { Logger } from '@nestjs/common';
import type { Command } from 'commander';
import { loadConfig } from '../config/load-config.js';
import { EXIT_UNAVAILABLE } from '../config/exit-code.js';
import { examineRedis } from '../redis/doctor/examine-redis.js';
import type { Finding } from '../redis/doctor/finding.js';
import { CliFailure } from './cli-failure.js';
import { examineIssuers } from './doctor/examine-issuers.js';
import { examineListener } from './doctor/examine-listener.js';
import { examinePush } from './doctor/examine-push.js';
import { examineTenants } from './doctor/examine-tenants.js';
import { findRedis, type FindOptions } from './find-redis.js';
import { connected } from './redis-client.js';

interface DoctorFlags extends FindOptions {
  readonly json?: true;
}

const SIGN: Readonly<Record<Finding['level'], string>> = {
  ok: '  ok     ',
  warning: '  warning',
  error: '  ERROR  ',
  unknown: '  unknown',
};

/** Adds `nightjar doctor`. */
export function registerDoctor(program: Command): void {
  program
    .command('doctor')
    .description(
      'look whether Redis, the issuers, the sources, the models, the remotes and the webhooks are fit; 69 when not',
    )
    .option('--config <file>', 'YAML file; NIGHTJAR_CONFIG is taken otherwise')
    .option('--port <port>', 'of the launcher, when several run with an embedded Redis')
    .option('--json', 'one line of JSON: {"ok": …, "findings": […]}')
    .action(async (flags: DoctorFlags) => {
      // The findings tell it all, and stdout is theirs alone.
      Logger.overrideLogger(false);
      const findings = await examine(flags, process.env);
      const ok = !findings.some(({ level }) => level === 'error');
      process.stdout.write(
        flags.json === true ? `${JSON.stringify({ ok, findings })}\n` : report(findings, ok),
      );
      if (!ok) process.exitCode = EXIT_UNAVAILABLE;
    });
}

async function examine(flags: DoctorFlags, env: NodeJS.ProcessEnv): Promise<Finding[]> {
  const settings = findRedis(flags, env);
  // The address is known by now; what is loaded here is the rest.
  const config = loadConfig({ environment: env, file: flags.config, redisUrl: settings.url });
  const redis = connected(settings, (client) =>
    examineRedis(client, settings, config.execution.leaseMs),
  ).catch((error: unknown): Finding[] => {
    if (!(error instanceof CliFailure)) throw error;
    return [{ check: 'connection', where: 'redis', level: 'error', text: error.message }];
  });
  return [
    ...(await redis),
    ...examineListener(config),
    ...(await examineIssuers(config.auth.oidc)),
    ...(await examineTenants(config.tenants)),
    ...(await examinePush(config)),
  ];
}

function report(findings: readonly Finding[], ok: boolean): string {
  const width = Math.max(...findings.map(({ where, check }) => where.length + check.length + 2));
  const lines = findings.map(
    ({ level, where, check, text }) =>
      `${SIGN[level]}  ${`${where}  ${check}`.padEnd(width)}  ${text}`,
  );
  const errors = findings.filter(({ level }) => level === 'error').length;
  const warnings = findings.filter(({ level }) => level === 'warning').length;
  const verdict = ok ? 'fit' : 'NOT fit';
  return `${lines.join('\n')}\n${verdict}: ${errors} error(s), ${warnings} warning(s)\n`;
}
